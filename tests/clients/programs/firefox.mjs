/** Visits every kind of page in Firefox, finds a diagnosis by keyboard alone, signs in and makes a
 * key. The arguments are the path of Firefox, the width of the window in CSS pixels, and the colour
 * scheme: light or dark. */
import assert from "node:assert/strict";
import puppeteer from "puppeteer-core";

const PAGES = {
  "/": 200,
  "/catalogue": 200,
  "/catalogue?q=pain": 200,
  "/catalogue/low-back-pain": 200,
  "/evidence": 200,
  "/problems": 200,
  "/problems/invalid-parameter": 200,
  "/docs": 200,
  "/settings/sign-in": 200,
  "/nothing": 404,
};
const { EVREF_URL: url, EVREF_EMAIL: email, EVREF_PASSWORD: password } = process.env;
const [executablePath, windowWidth, scheme] = process.argv.slice(2);
const width = Number(windowWidth);

const PATIENCE = 60_000; // milliseconds

const browser = await puppeteer.launch({
  timeout: PATIENCE,
  browser: "firefox",
  executablePath,
  defaultViewport: { width, height: 800 },
  extraPrefsFirefox: {
    "layout.css.prefers-color-scheme.content-override": { dark: 0, light: 1 }[scheme],
  },
});
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  // Firefox also reports violations of the Content Security Policy to the console.
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.stack));
  page.on("response", (response) => {
    if (response.status() >= 400 && !response.request().isNavigationRequest())
      complaints.push(`${response.url()}: ${response.status()}`);
  });

  for (const [path, status] of Object.entries(PAGES)) {
    await look(page, path, status);
    assert.deepEqual(complaints, [], path);
  }
  await findByKeyboard(page);
  await makeKey(page);
  assert.deepEqual(complaints, []);
} finally {
  await browser.close();
}

async function look(page, path, status) {
  const response = await page.goto(url + path, { waitUntil: "load" });
  assert.equal(response.status(), status, path);
  if (path === "/docs") await page.waitForSelector("#swagger-ui .opblock", { visible: true });
  const seen = await page.evaluate((scheme) => {
    const text = (selector) =>
      [...document.querySelectorAll(selector)]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .map((element) => element.innerText.trim());
    return {
      brand: text("header .brand").length,
      headings: text("main h1").length,
      links: text("nav[aria-label=Main] a"),
      footer: text("footer").join(),
      isInScheme: matchMedia(`(prefers-color-scheme: ${scheme})`).matches,
      window: innerWidth,
      document: document.documentElement.scrollWidth,
    };
  }, scheme);
  assert.equal(seen.brand, 1, path);
  assert.equal(seen.headings, 1, path);
  // On a telephone, a button opens them.
  const links = width < 700 ? [] : ["Catalogue", "How to read it", "API"];
  assert.deepEqual(seen.links.slice(0, 3), links, path);
  assert.match(seen.footer, /Reviewed by a clinician: \d+ of \d+ diagnos[ei]s/, path);
  assert(seen.isInScheme, path);
  assert.equal(seen.window, width, path);
  assert(seen.document <= seen.window, `${path} is ${seen.document} pixels wide`);
}

async function findByKeyboard(page) {
  await page.goto(url);
  await tabTo(page, "Diagnosis, ICD code or question");
  await page.keyboard.type("low back pain");
  await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
  assert.equal(page.url(), `${url}/catalogue/low-back-pain?searched=low+back+pain`);
  assert.equal(await heading(page), "Low back pain");
}

async function makeKey(page) {
  await page.goto(`${url}/settings/sign-in`);
  await page.locator("input[name=email]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await follow(page, "main button::-p-text(Sign in)");
  await follow(page, "main a::-p-text(Create a key)");
  await page.locator("input[name=name]").fill(`Ward tablet, ${width}, ${scheme}`);
  await follow(page, "main button::-p-text(Create the key)");
  assert.match(await heading(page), /^Your new key/);
  const key = await page.$eval("#key", (element) => element.innerText);
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/diagnoses`, { headers });
  assert.equal(answer.status, 200);
}

async function follow(page, selector) {
  await Promise.all([page.waitForNavigation(), page.locator(selector).click()]);
}

async function heading(page) {
  return page.$eval("main h1", (element) => element.innerText);
}

/** Press Tab until the focus is on what has this label or text. */
async function tabTo(page, name) {
  const passed = [];
  while (passed.length < 60) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return (element.labels?.[0] ?? element).innerText.trim();
    });
    if (focused === name) return;
    passed.push(focused);
  }
  assert.fail(`Tab does not lead to ${name}, but to ${passed.join(", ")}`);
}
