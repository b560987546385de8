"use strict";
const target = document.getElementById("swagger-ui");

// Swagger UI has colours for the dark under this class, and leaves it to the page to set it.
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const inFrame = ({ React }) => ({
  wrapComponents: {
    // The page has its own introduction.
    InfoContainer: () => () => null,
    headers: (Original) => (props) => {
      const summary = React.createElement("summary", null, `Headers (${props.headers.size})`);
      return React.createElement("details", null, summary, React.createElement(Original, props));
    },
  },
});

SwaggerUIBundle({
  url: target.dataset.document,
  domNode: target,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  plugins: [inFrame],
});
