// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Screenshots of twelve scenes, light, dark and on a phone's screen, to be looked at after a change
 * of how things are drawn:
 *
 *     npm run shots -- --program build/moreau --models scenes/models --out FOLDER [--only WORD]
 *                      [--page FILE]
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import {
    findChromium,
    launch,
    openPage,
    readArguments,
    skip,
    sleep,
    until,
    usePage,
    view,
} from "./tools.mjs";

const options = readArguments({
    program: "moreau",
    models: "scenes/models",
    out: "shots",
    only: "",
    page: "",
});
const executable = findChromium();
if (!executable) skip("chromium is not installed (Debian: chromium)");
if (options.page) usePage(resolve(options.page));
const model = (name) => resolve(options.models, name);

/* A name, what moreau view is called with, the simulated time, and what is shown. */
const SCENES = [
    ["opening", [], 2.4, ""],
    ["wall", ["wall"], 0.3, ""],
    ["arch-forces", ["arch"], 0.5, "forces,log"],
    ["domino-forces", ["domino"], 1.5, "forces,contacts,log"],
    ["beads-chains", ["beads", "--set", "count=600"], 2, "forces"],
    ["heap", ["heap", "--set", "count=100"], 1.5, ""],
    ["cannonball-cones", ["cannonball"], 0.5, "forces,cones"],
    ["cradle", ["cradle"], 1, "joints"],
    ["slip-to-roll", ["slip-to-roll"], 1.5, ""],
    ["slider-crank", ["slider-crank"], 1, "joints"],
    ["quadruped", [model("quadruped.xml"), "--key", "stand"], 0.5, "forces"],
    ["hand", [model("hand.xml")], 0.3, ""],
];
const PHONE = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true };
const MODES = {
    light: { colorScheme: "light" },
    dark: { colorScheme: "dark" },
    phone: { ...PHONE, colorScheme: "light" },
};

mkdirSync(resolve(options.out), { recursive: true });
const browser = await launch(executable);
for (const [name, words, time, show] of SCENES) {
    if (!name.includes(options.only)) continue;
    const server = await view(resolve(options.program), ...words);
    for (const [mode, pageOptions] of Object.entries(MODES)) {
        const address = show ? `${server.url}#show=${show}` : server.url;
        const page = await openPage(browser, address, pageOptions);
        await until(page, () => window.moreau?.app.frame);
        const before = await page.evaluate(() => window.moreau.generation());
        await page.keyboard.press("r"); // from the start, whatever the page before has seen
        await until(page, (g) => window.moreau.generation() > g, before);
        await until(page, (t) => window.moreau.time() >= t, time);
        await sleep(700); // drawn
        await page.screenshot({ path: join(resolve(options.out), `${name}-${mode}.png`) });
        for (const error of page.errors) console.log(`${name}, ${mode}: ${error}`);
        await page.close();
    }
    await server.stop();
    console.log(name);
}
await browser.close();
