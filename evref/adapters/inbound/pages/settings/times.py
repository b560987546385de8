"""Times and days in words, relative to the present: “3 hours ago”, “tomorrow”. All are UTC."""

from datetime import date, datetime, timedelta

from evref.adapters.inbound.pages.catalogue import words

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
_DAYS_A_MONTH, _DAYS_A_YEAR = 30, 365


def time_in_words(at: datetime, now: datetime) -> str:
    """Return how long before or after now an instant is, rounded down to a whole unit.

    From 24 hours on, the difference is that of the calendar days.

    >>> time_in_words(datetime(2026, 11, 22, 11, 5), datetime(2026, 11, 22, 14, 30))
    '3 hours ago'
    """
    distance = abs(at - now)
    if distance >= _DAY:
        return day_in_words(at.date(), now.date())
    if distance < _MINUTE:
        return "just now" if at <= now else "in less than a minute"
    if distance < _HOUR:
        return _in_words(distance // _MINUTE, "minute", is_past=at < now)
    return _in_words(distance // _HOUR, "hour", is_past=at < now)


def day_in_words(day: date, today: date) -> str:
    """Return how many days, months or years before or after today a day is, rounded down.

    >>> day_in_words(date(2026, 11, 28), date(2026, 11, 22))
    'in 6 days'
    """
    distance, is_past = abs((day - today).days), day < today
    if distance == 0:
        return "today"
    if distance == 1:
        return "yesterday" if is_past else "tomorrow"
    if distance <= _DAYS_A_MONTH:
        return _in_words(distance, "day", is_past=is_past)
    if distance < _DAYS_A_YEAR:
        return _in_words(distance // _DAYS_A_MONTH, "month", is_past=is_past)
    return _in_words(distance // _DAYS_A_YEAR, "year", is_past=is_past)


def exact_time(at: datetime) -> str:
    """Return the instant to the minute.

    >>> exact_time(datetime(2026, 11, 2, 9, 5))
    '2 November 2026, 09:05 UTC'
    """
    return f"{words.day(at.date())}, {at:%H:%M} UTC"


def _in_words(count: int, unit: str, *, is_past: bool) -> str:
    counted = words.counted(count, unit)
    return f"{counted} ago" if is_past else f"in {counted}"
