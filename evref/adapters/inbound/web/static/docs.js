"use strict";
const target = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: target.dataset.document,
  domNode: target,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
