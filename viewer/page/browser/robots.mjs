// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Tests of what an engineer looks for: joints, readings, units, scales, and nothing in the way. */
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SHARP, sleep, until } from "./tools.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A pendulum of 1 kg on a servo, with two sensors; it weighs 9.81 N, 0.5 m from its hinge. */
const PENDULUM = `<mujoco model="pendulum"><worldbody>
  <body name="rod"><joint name="elbow" axis="0 1 0"/>
    <inertial mass="1" pos="0.5 0 0" diaginertia="0.01 0.01 0.01"/>
    <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/><site name="end" pos="0.5 0 0"/>
  </body></worldbody>
  <actuator><position name="servo" joint="elbow" kp="1000" kv="50" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="encoder" joint="elbow"/><gyro name="imu" site="end"/></sensor></mujoco>`;

function pendulumFile() {
    const file = join(mkdtempSync(join(tmpdir(), "moreau-robot-")), "pendulum.xml");
    writeFileSync(file, PENDULUM);
    return file;
}

const ends = (text) => [...text.matchAll(/[−\d.]+/g)].map(([x]) => Number(x.replace("−", "-")));

/** The part of the picture that no element of the page covers has this body's centre. */
const isFree = (page, body) =>
    page.evaluate((k) => {
        const [x, y] = window.moreau.onScreen(k);
        return document.elementFromPoint(x, y)?.classList.contains("canvas") ?? false;
    }, body);

export const robotTests = ({ withScene, withReplay, model, picture }) => ({
    "a robot's replay has its joints, q and effort": () =>
        withReplay([pendulumFile(), "--time", "1"], async (page) => {
            assert.equal(await page.textContent("h1"), "pendulum.xml", "without its folders");
            await page.keyboard.press(" ");
            await page.fill(".time-line", "0.9");
            await until(page, () => Math.abs(window.moreau.time() - 0.9) < 0.05);
            await sleep(300);
            assert.equal(await page.evaluate(() => window.moreau.app.scene.joints.length), 1);
            const row = await page.textContent(".section:has(summary:text('Actuators')) .row");
            const [, effort] = /effort (−?[\d.]+) N m/.exec(row);
            assert.ok(Math.abs(Math.abs(ends(effort)[0]) - 4.905) < 0.02, row);
            assert.equal(await page.isVisible(".recorded input"), false, "nothing to pull at");
        }),

    "joints of a robot are pins with an axis": () =>
        withScene([model("arm.xml")], async (page) => {
            const { joints, vertices } = await page.evaluate(() => {
                const { scene, props } = window.moreau.app;
                const lines = props.joints.lines.geometry.getAttribute("position");
                return { joints: scene.joints, vertices: lines.count };
            });
            assert.deepEqual(new Set(joints.map(({ kind }) => kind)), new Set(["revolute"]));
            assert.equal(joints.length, 6);
            assert.equal(vertices, 12);
            const inked = () =>
                page.evaluate(async () => {
                    const { app } = window.moreau;
                    const { b, anchorB } = app.scene.joints[2];
                    const at = app.frame.bodies.subarray(7 * b, 7 * b + 3);
                    const [x, y] = app.stage.project([...at].map((c, k) => c + anchorB[k]));
                    const blob = await new Promise((done) => app.stage.screenshot(done));
                    const bitmap = await createImageBitmap(blob);
                    const ratio = bitmap.width / app.stage.canvas.clientWidth;
                    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext(
                        "2d",
                    );
                    context.drawImage(bitmap, 0, 0);
                    return [...context.getImageData(x * ratio, y * ratio, 1, 1).data];
                });
            const shown = await inked(); // the arm stands upright: its frames are not turned
            await page.keyboard.press("j");
            await sleep(300);
            const hidden = await inked();
            const change = Math.max(...shown.map((value, k) => Math.abs(value - hidden[k])));
            assert.ok(change > 30, `${shown} with joints, ${hidden} without`);
        }, SHARP),

    "a robot's q, effort and sensors are on the page": () =>
        withScene([pendulumFile()], async (page) => {
            await until(page, () => window.moreau.time() > 1);
            await sleep(300);
            const row = await page.textContent(".section:has(summary:text('Actuators')) .row");
            // The servo carries the weight: 9.81 N at 0.5 m, and gives way by effort / 1000.
            const [, effort] = /effort (−?[\d.]+) N m/.exec(row);
            assert.ok(Math.abs(Math.abs(ends(effort)[0]) - 4.905) < 0.02, row);
            const [, q] = /q (−?[\d.]+) rad/.exec(row);
            assert.ok(Math.abs(Math.abs(ends(q)[0]) - 4.905e-3) < 1e-4, row);
            assert.match(row, /−1 to 1/, "the range is on the page, not in a tooltip");
            const sensors = await page.textContent(".section:has(summary:text('Sensors'))");
            assert.match(sensors, /encoder.*imu\.0.*rad\/s.*imu\.2/s);
            const rod = await page.evaluate(() =>
                window.moreau.app.scene.bodies.findIndex(({ name }) => name === "rod"),
            );
            await page.evaluate((k) => window.moreau.app.choose(k), rod);
            await until(page, () => /q of elbow/.test(document.querySelector(".card").textContent));
            assert.match(await page.textContent(".card"), /effort of servo.*N m/s);
            assert.ok(await page.isVisible(".panel .card"), "the card is in the panel");
            const { scrollWidth, clientWidth } = await page.evaluate(() => {
                const { scrollWidth: s, clientWidth: c } = document.querySelector(".panel .card");
                return { scrollWidth: s, clientWidth: c };
            });
            assert.ok(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth} pixels`);
            await picture(page, "readings");
        }),

    "units and ranges are beside the sliders": () =>
        withScene(
            ["slider-crank"],
            async (page) => {
                await page.tap('[aria-label^="Show or hide the panel"]');
                const text = await page.innerText(".panel");
                assert.match(text, /rad\/s/, "of the motor");
                assert.match(text, /0 to 20 m\/s²/, "of gravity");
                assert.match(text, /0 to 1\.5/, "of friction");
            },
            PHONE,
        ),

    "arrows are as long as their forces": () =>
        withScene(["arch"], async (page) => {
            const log = page.locator(".chip", { hasText: "Log scale" });
            assert.equal(await log.getAttribute("aria-pressed"), "false");
            await page.keyboard.press("f");
            await until(page, () => window.moreau.app.props.contacts.scaling.reference > 0);
            const [one, two] = await page.evaluate(() => {
                const { app } = window.moreau;
                const { scaling } = app.props.contacts;
                const { scale } = app.contactView();
                return [0.2, 0.4].map((part) => scaling.length(part * scaling.reference, scale));
            });
            assert.ok(Math.abs(two - 2 * one) < 1e-9, `${one} and ${two}`);
        }),

    "the residual is measured against each step's tolerance": () =>
        withScene(["beads", "--set", "count=100"], async (page) => {
            await until(page, () => {
                const { frame, panel } = window.moreau.app;
                return frame.tolerance > 0 && panel.figures.charts.residual.used > 10;
            });
            const { lines, used, text, wide } = await page.evaluate(() => {
                const { app } = window.moreau;
                const { residual, penetration } = app.panel.figures.charts;
                return {
                    lines: residual.lines.map((line) => [...line.slice(0, residual.used)]),
                    used: residual.used,
                    text: penetration.value.textContent,
                    wide: penetration.options.axis,
                };
            });
            for (let k = 1; k < used; ++k) {
                assert.ok(lines[0][k] <= lines[1][k] + 1e-3, "no solved step is above the dashes");
                assert.ok(lines[0][k] >= lines[1][k] - 4.001, "nor far below: that is rounding");
            }
            assert.match(text, /mm/);
            assert.match(wide, /1 % is .* mm/);
        }),

    "the pointer says its force": () =>
        withScene(["stack", "--set", "count=1"], async (page) => {
            const [x, y] = await page.evaluate(() => window.moreau.onScreen(1));
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let k = 1; k <= 8; ++k) {
                await page.mouse.move(x, y - 15 * k);
                await sleep(30);
            }
            await until(page, () => window.moreau.position(1)[2] > 0.6);
            await sleep(2000); // it hangs, and swings a little about its weight
            const weight = await page.evaluate(() => 9.81 * window.moreau.app.scene.bodies[1].mass);
            const force = Number((await page.textContent(".pull")).replace(/[, N]/g, ""));
            assert.ok(Math.abs(force / weight - 1) < 0.2, `${force} N of ${weight} N`);
            await picture(page, "pull");
            await page.mouse.up();
            await until(page, () => document.querySelector(".pull").hidden);
        }),

    "nothing of the page covers the robot": async () => {
        const words = [model("quadruped.xml"), "--key", "stand"];
        const visible = async (page) => {
            const count = await page.evaluate(() => window.moreau.app.scene.bodies.length);
            for (let k = 1; k < count; ++k)
                assert.ok(await isFree(page, k), `body ${k} of ${count} is covered`);
        };
        await withScene(words, async (page) => {
            await page.evaluate(() => window.moreau.app.choose(3));
            await sleep(1500);
            await visible(page);
            const low = await page.locator(".hint").boundingBox();
            assert.ok(low.y + low.height < 150, "the hint is below the title");
        });
        await withScene(
            words,
            async (page) => {
                await page.tap('[aria-label^="Show or hide the panel"]');
                await sleep(1500);
                await visible(page);
                const top = await page.evaluate(() => {
                    const { app, onScreen } = window.moreau;
                    return Math.min(...app.scene.bodies.map((_, k) => onScreen(k)[1]));
                });
                const { bottom } = await page.evaluate(() =>
                    document.querySelector(".title h1").getBoundingClientRect(),
                );
                assert.ok(top > bottom, `the robot begins at ${top}, the title ends at ${bottom}`);
                await picture(page, "phone-robot");
            },
            PHONE,
        );
    },
});
