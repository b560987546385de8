"use strict";
const target = document.getElementById("swagger-ui");
SwaggerUIBundle({
  url: target.dataset.document,
  domNode: target,
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
