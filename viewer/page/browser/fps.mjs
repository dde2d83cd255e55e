// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Pictures a second of live scenes in headless chromium:
 *
 *     node browser/fps.mjs --program build/moreau [--seconds 5] [--only WORD] [--page FILE]
 *
 *   page     pictures a second when every picture shows new poses: what the page can do
 *   live     pictures a second as they come from the simulation, which sends at most 60 frames
 *   cpu      milliseconds of processor time that chromium spends on a picture, all of its processes
 *            together; it hardly depends on what else the machine does
 *   x real   simulated seconds a second
 */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
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

const options = readArguments({ program: "moreau", seconds: "5", only: "", page: "" });
const program = resolve(options.program);
const executable = findChromium();
if (!executable) skip("chromium is not installed");
if (options.page) usePage(resolve(options.page));

const SCENES = [
    ["600 beads", "beads", "--set", "count=600"],
    ["600, chains", "beads", "--set", "count=600"],
    ["5,000 beads", "beads", "--set", "count=5000"],
    ["5,000, chains", "beads", "--set", "count=5000"],
    ["blockfeeder", "blockfeeder"],
    ["jack", "jack"],
];
const TICK_MS = 10; // of /proc

/** Processor time, in ms, of all processes below this one whose command line has "chrom". */
function chromiumTime() {
    const children = new Map();
    for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
        try {
            const stat = readFileSync(`/proc/${name}/stat`, "utf8");
            const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
            const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
            const entry = {
                id: Number(name),
                time: TICK_MS * (Number(fields[11]) + Number(fields[12])),
                ours: command.includes("chrom"),
            };
            children.set(fields[1], [...(children.get(fields[1]) ?? []), entry]);
        } catch {
            // It has ended meanwhile.
        }
    }
    const sum = (parent) =>
        (children.get(String(parent)) ?? []).reduce(
            (total, { id, time, ours }) => total + (ours ? time : 0) + sum(id),
            0,
        );
    return sum(process.pid);
}

async function measure(page, seconds) {
    const pictures = () => page.evaluate(() => window.moreau.app.stage.renderer.info.render.frame);
    const [before, spent, began] = [await pictures(), chromiumTime(), performance.now()];
    await sleep(1000 * seconds);
    const drawn = (await pictures()) - before;
    return {
        fps: (1000 * drawn) / (performance.now() - began),
        cpu: (chromiumTime() - spent) / Math.max(1, drawn),
    };
}

const browser = await launch(executable);
console.log(
    "scene          bodies  contacts   live fps  x real   ms/step" +
        "   page fps  cpu ms   pixels  shadows",
);
for (const [name, ...words] of SCENES) {
    if (!name.includes(options.only)) continue;
    let server;
    try {
        server = await view(program, ...words);
    } catch (error) {
        console.log(`${name.padEnd(13)} ${String(error.message).split("\n")[0]}`);
        continue;
    }
    const page = await openPage(browser, server.url, { viewport: { width: 1280, height: 720 } });
    await until(page, () => window.moreau?.app.frame);
    if (name.includes("chains")) await page.keyboard.press("f");
    await sleep(4000); // compiled, and settled on a quality
    const live = await measure(page, Number(options.seconds));
    const { rate, milliseconds, bodyCount, contactCount } = await page.evaluate(
        () => window.moreau.app.frame,
    );
    // The page alone: the simulation stands still, and the last frame is shown anew in every
    // picture.
    await page.keyboard.press(" ");
    await page.evaluate(() => window.moreau.app.rehearse());
    await sleep(2000);
    const alone = await measure(page, Number(options.seconds));
    const [ratio, shadows] = await page.evaluate(() => [
        window.moreau.app.stage.renderer.getPixelRatio(),
        window.moreau.app.stage.shadows,
    ]);
    const columns = [
        bodyCount,
        contactCount,
        live.fps.toFixed(1),
        rate.toFixed(2),
        milliseconds.toFixed(2),
        alone.fps.toFixed(1),
        alone.cpu.toFixed(1),
        ratio,
        shadows,
    ];
    const widths = [8, 10, 11, 8, 10, 11, 8, 9, 9];
    console.log(
        name.padEnd(13) + columns.map((value, k) => String(value).padStart(widths[k])).join(""),
    );
    await page.close();
    await server.stop();
}
await browser.close();
