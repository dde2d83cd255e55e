// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The site of the documentation in a real browser, from disk:
 *
 *     node browser/site.mjs --site build/site
 *
 * No page has an error or an image that does not load, none is wider than the screen of a laptop or
 * a phone, and the search finds what it should.  Ends with 77 where there is no chromium or no
 * site.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { findChromium, launch, openPage, readArguments, skip, until } from "./tools.mjs";

const site = resolve(readArguments({ site: "site" }).site);
const executable = findChromium();
if (!executable) skip("chromium is not installed (Debian: chromium)");
if (!existsSync(join(site, "index.html"))) skip("there is no site (Debian: pandoc)");
const browser = await launch(executable);
const address = (path) => pathToFileURL(join(site, path)).href;
const files = readdirSync(site, { recursive: true, withFileTypes: false });
const pages = files.filter((name) => name.endsWith(".html") && !name.startsWith("files"));
assert(pages.length > 60, `only ${pages.length} pages`);

/** What sticks out of the window, and the images that did not load. */
const look = () => ({
    excess: document.documentElement.scrollWidth - window.innerWidth,
    lost: [...document.images]
        .filter((image) => !image.complete || image.naturalWidth === 0)
        .map((image) => image.src),
});

for (const viewport of [
    { width: 1366, height: 768 },
    { width: 390, height: 844 },
]) {
    const page = await openPage(browser, address("index.html"), { viewport });
    for (const path of pages) {
        await page.goto(address(path));
        const { excess, lost } = await page.evaluate(look);
        assert(excess <= 0, `${path} is ${excess} pixels wider than ${viewport.width}`);
        assert.deepEqual(lost, [], `${path}: images that did not load`);
    }
    assert.deepEqual(page.errors, []);
    await page.close();
}

const page = await openPage(browser, address("methods/auto.html"));
await page.keyboard.press("/");
await page.keyboard.type("mo_world_step");
await until(page, () => document.querySelectorAll("#found a").length > 0);
assert.match(
    await page.evaluate(() => document.querySelector("#found a").href),
    /reference\/world\.html#mo_world_step$/,
);
await page.keyboard.press("Enter");
await until(page, () => location.href.endsWith("reference/world.html#mo_world_step"));
assert.equal(
    await page.evaluate(
        () => document.getElementById("mo_world_step").getBoundingClientRect().top > 0,
    ),
    true,
);
await page.fill("#search", "no such words anywhere");
assert.equal(await page.textContent("#found"), "Nothing found.");

const phone = await openPage(browser, address("index.html"), {
    viewport: { width: 390, height: 844 },
});
assert.equal(await phone.isVisible("nav"), false);
await phone.click(".menu");
assert.equal(await phone.isVisible("nav"), true);
assert(await phone.evaluate(() => document.querySelectorAll("nav a").length > 30));
await browser.close();
console.log(`${pages.length} pages at two widths, the search and the menu`);
