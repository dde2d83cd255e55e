// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The page in a real browser, with the real program behind it:
 *
 *     node browser/run.mjs --program build/moreau --models scenes/models --out FOLDER [--only WORD]
 *       [--page FILE]
 *
 * Pictures of what was seen stay in FOLDER.  Ends with 77 where there is no chromium.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { lookTests } from "./looks.mjs";
import { robotTests } from "./robots.mjs";
import {
    findChromium,
    launch,
    leavePage,
    openCoarsely,
    openPage,
    readArguments,
    SHARP,
    skip,
    sleep,
    until,
    usePage,
    view,
} from "./tools.mjs";

const options = readArguments({
    program: "moreau",
    models: "scenes/models",
    out: "browser-pictures",
    only: "",
    page: "",
});
const executable = findChromium();
if (!executable) skip("chromium is not installed (Debian: chromium)");
if (options.page) usePage(resolve(options.page));
const program = resolve(options.program);
const model = (name) => resolve(options.models, name);
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
const browser = await launch(executable);

const open = (address, pageOptions) =>
    (pageOptions === SHARP ? openPage : openCoarsely)(browser, address, pageOptions);
const picture = (page, name) => page.screenshot({ path: join(out, `${name}.png`) });
const time = (page) => page.evaluate(() => window.moreau.time());
const position = (page, body) => page.evaluate((k) => window.moreau.position(k), body);
const firstFree = (page) =>
    page.evaluate(() => window.moreau.app.scene.bodies.findIndex(({ kind }) => kind === "free"));
const distance = (p, q) => Math.hypot(...p.map((x, k) => x - q[k]));
const started = (page) => until(page, () => window.moreau?.app.frame);

/** How many colours the picture of the scene has; a blank one has a single one. */
const colours = (page) =>
    page.evaluate(
        () =>
            new Promise((done) =>
                window.moreau.app.stage.screenshot(async (blob) => {
                    const bitmap = await createImageBitmap(blob);
                    const canvas = Object.assign(document.createElement("canvas"), {
                        width: bitmap.width,
                        height: bitmap.height,
                    });
                    const context = canvas.getContext("2d");
                    context.drawImage(bitmap, 0, 0);
                    const pixels = new Uint32Array(
                        context.getImageData(0, 0, canvas.width, canvas.height).data.buffer,
                    );
                    done(new Set(pixels).size);
                }),
            ),
    );

/** A scene in a page of its own, which must log no error; body(page, server). */
async function withScene(words, body, pageOptions) {
    const server = await view(program, ...words);
    try {
        const page = await open(server.url, pageOptions);
        await started(page);
        await body(page, server);
        assert.deepEqual(page.errors, [], "nothing is logged as an error");
        await leavePage(page);
    } finally {
        const { code, signal } = await server.stop();
        assert.ok(
            code === 0 && signal === null,
            `Ctrl-C ends the program with status ${code}, signal ${signal}`,
        );
    }
}

/** A run as a replay page, which must log no error. */
async function withReplay(words, body) {
    const file = join(out, "robot.html");
    execFileSync(program, ["run", ...words, "--replay", file], { stdio: "ignore" });
    const page = await open(pathToFileURL(file).href);
    await started(page);
    await body(page);
    assert.deepEqual(page.errors, [], "nothing is logged as an error");
    await leavePage(page);
}

const tests = {
    "the page is one file below 1 MB, and loads nothing else": () =>
        withScene(["stack", "--set", "count=3"], async (page, server) => {
            const text = await (await fetch(server.url)).text();
            assert.ok(text.length < 1e6, `the page has ${text.length} bytes`);
            const loaded = await page.evaluate(() =>
                performance.getEntriesByType("resource").map(({ name }) => name),
            );
            assert.deepEqual(loaded, []);
        }),

    "a scene loads, is drawn, and moves": () =>
        withScene(["domino"], async (page) => {
            assert.equal(await page.textContent("h1"), "domino");
            const body = await firstFree(page);
            await page.keyboard.press(" ");
            await page.keyboard.press("r");
            await until(page, () => window.moreau.time() === 0);
            const before = await position(page, body);
            await page.keyboard.press(" ");
            await until(page, () => window.moreau.time() > 0.3);
            assert.ok(
                distance(before, await position(page, body)) > 1e-3,
                "the first domino has moved",
            );
            assert.ok((await colours(page)) > 20);
            await page.keyboard.press("f");
            await page.keyboard.press("c");
            await until(page, () => !document.querySelector(".legend").hidden);
            await picture(page, "domino-forces");
        }),

    "play, pause, step, speed and reset": () =>
        withScene(["stack", "--set", "count=3"], async (page) => {
            await page.keyboard.press(" ");
            await until(page, () => window.moreau.app.scene.playing === false);
            await sleep(300); // frames on their way
            const paused = await time(page);
            await sleep(300);
            assert.equal(await time(page), paused, "time stands still");
            await page.click('[aria-label^="One step"]');
            await until(page, (t) => window.moreau.time() > t, paused);
            const step = await page.evaluate(() => window.moreau.app.scene.step);
            assert.ok(Math.abs((await time(page)) - paused - step) < 1e-9, "a step is a step");
            await page.selectOption(".speed", "0.25");
            await until(page, () => window.moreau.app.scene.speed === 0.25);
            await page.keyboard.press("r");
            await until(page, () => window.moreau.time() === 0);
        }),

    "a body follows the mouse": () =>
        withScene(["stack", "--set", "count=2"], async (page) => {
            // the upper one
            const body = (await page.evaluate(() => window.moreau.app.scene.bodies.length)) - 1;
            const [x, y] = await page.evaluate((k) => window.moreau.onScreen(k), body);
            const before = await position(page, body);
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let k = 1; k <= 10; ++k) {
                await page.mouse.move(x + 6 * k, y - 12 * k);
                await sleep(30);
            }
            await until(page, ([k, z]) => window.moreau.position(k)[2] > z + 0.05, [
                body,
                before[2],
            ]);
            await picture(page, "drag");
            await page.mouse.up();
            assert.equal(
                await page.evaluate(() => window.moreau.app.stage.controls.enabled),
                true,
                "the camera is free again",
            );
        }),

    "the jack is pumped by the mouse": () =>
        withScene(["jack"], async (page) => {
            const { bodies, shapes } = await page.evaluate(() => window.moreau.app.scene);
            const load = bodies.findIndex(({ name }) => name === "load");
            const knob = shapes.find(({ kind }) => kind === "ball"); // at the end of the lever
            const [x, y] = await page.evaluate(({ body, pose }) => {
                const [px, py] = window.moreau.position(body);
                return window.moreau.app.stage.project([px + pose[0], py + pose[1], 0]);
            }, knob);
            const before = (await position(page, load))[1];
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let k = 1; k <= 12; ++k) {
                await page.mouse.move(x, y - 12 * k);
                await sleep(30);
            }
            await until(page, ([k, height]) => window.moreau.position(k)[1] > height + 0.02, [
                load,
                before,
            ]);
            await picture(page, "jack");
            await page.mouse.up();
        }),

    "a robot's sliders move its links": () =>
        withScene([model("arm.xml")], async (page) => {
            const { bodies, actuators } = await page.evaluate(() => window.moreau.app.scene);
            assert.equal(actuators.length, 6);
            const last = bodies.reduce((found, { kind }, k) => (kind === "link" ? k : found), -1);
            const rows = page.locator(".section:has(summary:text('Actuators')) input[type=range]");
            assert.equal(await rows.count(), actuators.length);
            // the shoulder: the first turns about the vertical, in which the arm begins
            const { name, lower, upper, target } = actuators[1];
            const notch = (upper - lower) / 200; // of the slider
            assert.ok(Math.abs(Number(await rows.nth(1).inputValue()) - target) < notch);
            const before = await position(page, last);
            const { width, height } = await rows.nth(1).boundingBox();
            await rows.nth(1).click({ position: { x: 0.7 * width, y: height / 2 } });
            await until(
                page,
                ([k, p]) => Math.hypot(...window.moreau.position(k).map((x, i) => x - p[i])) > 0.05,
                [last, before],
            );
            await picture(page, "arm");
            await page.keyboard.press("Tab");
            await page.evaluate(() => document.activeElement.blur());
            await page.keyboard.press("r"); // the robot as it was, and so its sliders
            await until(
                page,
                ([label, value, near]) =>
                    Math.abs(
                        Number(document.querySelector(`input[aria-label="${label}"]`).value) -
                            value,
                    ) < near,
                [name, target, notch],
            );
        }),

    "a robot's link follows the mouse": () =>
        withScene([model("quadruped.xml"), "--key", "stand"], async (page) => {
            const trunk = await page.evaluate(() =>
                window.moreau.app.scene.bodies.findIndex(({ kind }) => kind === "link"),
            );
            const [x, y] = await page.evaluate((k) => window.moreau.onScreen(k), trunk);
            const before = await position(page, trunk);
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let k = 1; k <= 10; ++k) {
                await page.mouse.move(x - 15 * k, y - 18 * k);
                await sleep(30);
            }
            await until(
                page,
                ([k, p]) => Math.hypot(...window.moreau.position(k).map((v, i) => v - p[i])) > 0.05,
                [trunk, before],
            );
            await picture(page, "quadruped");
            await page.mouse.up();
        }),

    "a changed friction changes the motion": () =>
        withScene(["incline", "--set", "mu=0.3"], async (page) => {
            const body = await firstFree(page);
            const travelled = async (span) => {
                const [from, start] = [await position(page, body), await time(page)];
                await until(page, (t) => window.moreau.time() > t, start + span);
                return distance(from, await position(page, body)) / ((await time(page)) - start);
            };
            await page.keyboard.press("r"); // it may have left the slope while the page came up
            await until(page, () => window.moreau.time() < 0.5);
            assert.ok((await travelled(0.3)) > 0.02, "it slides");
            await page.fill('input[aria-label="Friction"]', "1.2");
            await until(page, () => window.moreau.app.scene.friction === 1.2);
            await sleep(800);
            assert.ok((await travelled(0.3)) < 1e-3, "it has come to rest");
            await page.fill('input[aria-label="Friction"]', "0");
            await sleep(300);
            assert.ok((await travelled(0.3)) > 0.1, "it slides again");
        }),

    "method, tolerance, step and gravity change while it runs": () =>
        withScene(["stack", "--set", "count=3"], async (page) => {
            await page.selectOption('select[aria-label="Method"]', "nsgs");
            await page.selectOption('select[aria-label="Tolerance"]', "0.000001");
            await page.fill('input[aria-label="Step in milliseconds"]', "5");
            await page.keyboard.press("Enter");
            await page.fill('input[aria-label="Gravity"]', "3.7");
            await until(page, () => {
                const { method, tolerance, step, gravity } = window.moreau.app.scene;
                return (
                    method === "nsgs" &&
                    Math.abs(tolerance - 1e-6) < 1e-12 &&
                    Math.abs(step - 0.005) < 1e-12 &&
                    Math.abs(gravity[2] + 3.7) < 1e-6
                );
            });
        }),

    "another scene is chosen, with its parameters": () =>
        withScene(
            ["stack", "--set", "count=3"],
            async (page) => {
                const generation = await page.evaluate(() => window.moreau.generation());
                await page.selectOption('select[aria-label="Scene"]', "cannonball");
                await until(
                    page,
                    (g) =>
                        window.moreau.generation() > g &&
                        window.moreau.app.frame?.generation === window.moreau.generation(),
                    generation,
                );
                assert.equal(await page.textContent("h1"), "cannonball");
                const bodies = await page.evaluate(() => window.moreau.app.scene.bodies.length);
                const rows = page.locator(".rows .row", { hasText: "rows" }).locator("input");
                await rows.fill("3");
                await rows.press("Enter");
                await until(page, (n) => window.moreau.app.scene.bodies.length < n, bodies);
                await page.keyboard.press("Tab"); // away from the field
                await page.evaluate(() => document.activeElement.blur());
                await page.keyboard.press("f");
                await page.keyboard.press("v");
                await sleep(300);
                await picture(page, "planar-dark");
            },
            { colorScheme: "dark" },
        ),

    "a ball is thrown, and a body is chosen": () =>
        withScene(["wall", "--set", "courses=4", "--set", "length=6"], async (page) => {
            const bodies = await page.evaluate(() => window.moreau.app.scene.bodies.length);
            const [x, y] = await page.evaluate(() => window.moreau.onScreen(10));
            await page.mouse.move(x, y);
            await page.keyboard.press("b");
            await until(page, (n) => window.moreau.app.scene.bodies.length === n + 1, bodies);
            await until(page, (n) => window.moreau.app.frame.bodyCount === n + 1, bodies);
            const [bx, by] = await page.evaluate(() => window.moreau.onScreen(3));
            await page.mouse.click(bx, by);
            await until(page, () => !document.querySelector(".card").hidden);
            await sleep(300);
            assert.match(await page.textContent(".card"), /kg/);
            await picture(page, "throw-and-card");
        }),

    "a link restores the view": () =>
        withScene(["stack", "--set", "count=3"], async (page, server) => {
            await page.keyboard.press("f");
            await page.keyboard.press("t");
            await page.mouse.move(300, 300);
            await page.mouse.down();
            await page.mouse.move(380, 330, { steps: 4 });
            await page.mouse.up();
            const camera = await page.evaluate(() => window.moreau.app.stage.cameraNumbers());
            const address = await page.evaluate(() => location.href);
            assert.match(address, /#scene=stack&set=.*camera=/);
            const other = await open(address);
            await started(other);
            await other.waitForTimeout(200);
            const restored = await other.evaluate(() => window.moreau.app.stage.cameraNumbers());
            camera.forEach((value, k) =>
                assert.ok(
                    Math.abs(value - restored[k]) < 1e-3 * (1 + Math.abs(value)),
                    `camera ${k}`,
                ),
            );
            assert.equal(
                await other.getAttribute(".chip:has-text('Forces')", "aria-pressed"),
                "true",
            );
            assert.deepEqual(other.errors, []);
            await leavePage(other);
            assert.ok(server.url);
        }),

    "the page finds the program again when it comes back": async () => {
        const first = await view(program, "stack", "--set", "count=3");
        const { port } = new URL(first.url);
        const page = await open(first.url);
        await started(page);
        await first.stop();
        await until(page, () => document.querySelector("#app").classList.contains("offline"));
        const second = await view(program, "domino", "--port", port);
        await until(
            page,
            () => window.moreau.app.scene.name === "domino" && window.moreau.time() >= 0,
        );
        assert.equal(
            await page.evaluate(() => document.querySelector("#app").classList.contains("offline")),
            false,
        );
        await leavePage(page);
        await second.stop();
    },

    "a page from elsewhere cannot open the socket": async () => {
        const server = await view(program, "stack", "--set", "count=3");
        const elsewhere = createServer((_, response) =>
            response.setHeader("Content-Type", "text/html").end("<title>elsewhere</title>"),
        );
        await new Promise((done) => elsewhere.listen(0, "127.0.0.1", done));
        const tryFrom = async (address) => {
            const page = await browser.newPage();
            await page.goto(address);
            const socket = `${server.url.replace("http", "ws")}socket`;
            const outcome = await page.evaluate(
                (target) =>
                    new Promise((done) => {
                        const attempt = new WebSocket(target, "moreau");
                        attempt.onopen = () => done("opened");
                        attempt.onclose = () => done("refused");
                    }),
                socket,
            );
            await page.close();
            return outcome;
        };
        assert.equal(await tryFrom(`http://127.0.0.1:${elsewhere.address().port}/`), "refused");
        assert.equal(await tryFrom(server.url), "opened", "its own page may");
        elsewhere.close();
        await server.stop();
    },

    "a replay plays and is scrubbed": async () => {
        const file = join(out, "replay.html");
        execFileSync(program, ["run", "domino", "--time", "1", "--tol", "1e-6", "--replay", file], {
            stdio: "ignore",
        });
        const page = await open(pathToFileURL(file).href);
        await started(page);
        await until(page, () => window.moreau.time() > 0.05);
        await page.keyboard.press(" ");
        const body = await firstFree(page);
        const seek = async (t) => {
            await page.fill(".time-line", String(t));
            await until(page, (goal) => Math.abs(window.moreau.time() - goal) < 0.04, t);
            return position(page, body);
        };
        const late = await seek(0.9);
        const early = await seek(0.1);
        assert.ok(distance(early, late) > 1e-3, "another time, another place");
        assert.deepEqual(await seek(0.9), late, "the same time, the same place");
        await page.keyboard.press("f");
        await sleep(300);
        await picture(page, "replay");
        const camera = await page.evaluate(() => window.moreau.app.stage.cameraNumbers());
        const other = await open(await page.evaluate(() => location.href));
        await started(other);
        await until(other, () => Math.abs(window.moreau.time() - 0.9) < 0.04);
        const restored = await other.evaluate(() => window.moreau.app.stage.cameraNumbers());
        camera.forEach((value, k) =>
            assert.ok(Math.abs(value - restored[k]) < 1e-3 * (1 + Math.abs(value)), `camera ${k}`),
        );
        assert.deepEqual([...page.errors, ...other.errors], []);
        await leavePage(other);
        await leavePage(page);
    },

    "a small screen with fingers": () =>
        withScene(
            ["stack", "--set", "count=3"],
            async (page) => {
                await until(page, () => window.moreau.time() > 0.1);
                await page.evaluate(() => window.moreau.app.toggle("forces"));
                await until(page, () => !document.querySelector(".legend").hidden);
                await picture(page, "phone");
                assert.equal(await page.isVisible(".panel"), false, "the panel is folded");
                await page.tap('[aria-label^="Show or hide the panel"]');
                assert.equal(await page.isVisible(".panel"), true);
                for (const part of [".hint", ".legend", ".title p"])
                    assert.equal(await page.isVisible(part), false, `${part} makes room`);
            },
            { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
        ),
    ...lookTests({ withScene, model, picture }),
    ...robotTests({ withScene, withReplay, model, picture }),
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
    if (!name.includes(options.only)) continue;
    const began = Date.now();
    try {
        await run();
        console.log(`ok      ${name} (${Date.now() - began} ms)`);
    } catch (error) {
        failed++;
        console.log(
            `FAILED  ${name}\n        ${String(error.stack ?? error)
                .split("\n")
                .slice(0, 6)
                .join("\n        ")}`,
        );
    }
}
await browser.close();
console.log(failed === 0 ? "all passed" : `${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
