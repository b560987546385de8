"""Release 0.1.0, the first whose databases are upgraded. `tables` creates new ones."""

revision = "0009"
down_revision = None
