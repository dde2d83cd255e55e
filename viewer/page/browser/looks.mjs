// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/* Tests of what a newcomer sees first: the opening scene, the camera, forces, keys, charts. */
import assert from "node:assert/strict";
import { SHARP, sleep, until } from "./tools.mjs";

/**
 * Of the pixels where a body is drawn (they change when it is marked) or a ray meets it first, the
 * part where both is so: drawing and picking see the same body in front.
 */
const agreement = (page, body) =>
    page.evaluate(async (k) => {
        const { app } = window.moreau;
        const { bodies } = app.props;
        const pixels = () =>
            new Promise((done) =>
                app.stage.screenshot(async (blob) => {
                    const bitmap = await createImageBitmap(blob);
                    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
                    const context = canvas.getContext("2d");
                    context.drawImage(bitmap, 0, 0);
                    done(context.getImageData(0, 0, bitmap.width, bitmap.height));
                }),
            );
        const arrange = () => bodies.arrange(app.stage.look());
        const plain = await pixels();
        bodies.mark([{ body: k, colour: 0xff0000 }]);
        arrange();
        const marked = await pixels();
        bodies.mark([]);
        arrange();
        let [both, either] = [0, 0];
        const ratio = plain.width / app.stage.canvas.clientWidth;
        const [cx, cy] = window.moreau.onScreen(k);
        for (let y = cy - 90; y < cy + 90; y += 6)
            for (let x = cx - 90; x < cx + 90; x += 6) {
                const at = 4 * (Math.floor(y * ratio) * plain.width + Math.floor(x * ratio));
                const isDrawn = Math.abs(plain.data[at + 1] - marked.data[at + 1]) >= 12;
                const isMet = bodies.pick(app.stage.rayAt(x, y))?.body === k;
                both += isDrawn && isMet ? 1 : 0;
                either += isDrawn || isMet ? 1 : 0;
            }
        return { either, part: both / Math.max(1, either) };
    }, body);

export const lookTests = ({ withScene, model, picture }) => ({
    "the opening scene moves, and starts again": () =>
        withScene([], async (page) => {
            const { name, restart } = await page.evaluate(() => window.moreau.app.scene);
            assert.equal(name, "cascade");
            assert.equal(restart, true);
            await until(page, () => window.moreau.time() > 0.3);
            assert.ok((await page.evaluate(() => window.moreau.app.frame.kinetic)) > 1e-4);
            await picture(page, "opening");
            await page.keyboard.press("o");
            await until(page, () => window.moreau.app.scene.restart === false);
        }),

    "the camera follows what rolls away, beside the panel": () =>
        withScene(["slip-to-roll", "--dt", "0.02"], async (page) => {
            const first = await page.evaluate(() => window.moreau.generation());
            await until(page, () => {
                const [x, y] = window.moreau.onScreen(1);
                const { left } = document.querySelector(".panel").getBoundingClientRect();
                window.timeBefore = window.moreau.time();
                return window.timeBefore > 1.5 && x > 0 && x < left && y > 0 && y < 800;
            });
            // All has left: the scene starts again, and so does its time.
            await until(
                page,
                (g) => window.moreau.generation() > g && window.moreau.time() < window.timeBefore,
                first,
            );
        }),

    "a thin rod is drawn wider than a line": () =>
        withScene(["painleve"], async (page) => {
            await page.keyboard.press("r");
            await page.keyboard.press(" ");
            await sleep(300);
            const pixels = await page.evaluate(() => {
                const { app } = window.moreau;
                const { geometry } = app.props.bodies.batches[0].mesh;
                geometry.computeBoundingBox();
                const { max, min } = geometry.boundingBox;
                return app.stage.pixelsOf(max.y - min.y);
            });
            assert.ok(pixels > 3, `the rod is ${pixels} pixels wide`);
            await picture(page, "painleve");
        }),

    "balls are drawn at their depth without shadows": () =>
        withScene([model("hand.xml")], async (page) => {
            await page.keyboard.press(" ");
            await until(page, () => window.moreau.app.scene.playing === false);
            await sleep(300);
            assert.equal(await page.evaluate(() => window.moreau.app.stage.shadows), false);
            const jointed = await page.evaluate(() => {
                const { bodies, shapes } = window.moreau.app.scene;
                const round = shapes.filter(({ kind }) => kind === "ball").map(({ body }) => body);
                return [...new Set(round)].filter((k) => bodies[k].kind === "link");
            });
            assert.ok(jointed.length >= 4);
            let seen = 0;
            for (const body of jointed) {
                const { either, part } = await agreement(page, body);
                if (either < 30) continue; // behind others
                seen++;
                assert.ok(part > 0.9, `${either} pixels, ${part} of them drawn and met`);
            }
            assert.ok(seen >= 2);
        }, SHARP),

    "keys after a choice, the help, and no mouse": () =>
        withScene([model("arm.xml")], async (page) => {
            await sleep(200);
            assert.equal(await page.evaluate(() => window.moreau.app.hovered), -1);
            await page.selectOption('select[aria-label="Scene"]', "stack");
            await until(page, () => window.moreau.app.scene.name === "stack");
            await page.keyboard.press("f");
            await until(page, () => !document.querySelector(".legend").hidden);
            assert.equal(await page.inputValue('select[aria-label="Scene"]'), "stack");
            await page.keyboard.press("?");
            assert.equal(await page.isVisible("dialog.help"), true);
            await page.keyboard.press("f");
            await page.keyboard.press("Escape");
            assert.equal(await page.isVisible("dialog.help"), false);
            const forces = page.locator(".chip", { hasText: "Forces" });
            assert.equal(await forces.getAttribute("aria-pressed"), "true", "f did nothing there");
            await page.selectOption('select[aria-label="Scene"]', "arm.xml");
            await until(page, () => window.moreau.app.scene.actuators.length === 6);
        }),

    "a robot has its own colours, and shows what collides": () =>
        withScene([model("hand.xml")], async (page) => {
            const red = () =>
                page.evaluate(() => {
                    const { scene, props } = window.moreau.app;
                    const ball = scene.shapes.find(({ colour }) => colour && colour[0] > 0.7);
                    const batches = props.bodies.batches;
                    const at = batches.find(({ bodies }) => bodies.includes(ball.body));
                    const k = at.bodies.indexOf(ball.body);
                    return [...at.mesh.instanceColor.array.slice(3 * k, 3 * k + 3)];
                });
            const [r, g, b] = await red();
            assert.ok(r > 2 * g && r > 2 * b, `the ball of the file is red, not ${[r, g, b]}`);
            await page.keyboard.press("k");
            const pressed = page.locator(".chip", { hasText: "Collision shapes" });
            assert.equal(await pressed.getAttribute("aria-pressed"), "true");
            assert.ok(await page.evaluate(() => window.moreau.app.props.bodies.batches.length > 0));
            await picture(page, "hand");
        }),

    "metal and rubber of a robot are drawn as such": () =>
        withScene([model("quadruped.xml"), "--key", "stand"], async (page) => {
            const finishes = () =>
                page.evaluate(() => {
                    const { batches } = window.moreau.app.props.bodies;
                    return batches.map(({ finish: f }) => f && [f.metallic, f.roughness]);
                });
            const found = await finishes();
            assert.ok(found.some((f) => f?.[0] === 0.9), "the legs are metal");
            assert.ok(found.some((f) => f?.[0] === 0 && f[1] === 1), "the feet are rubber");
            // with shadows another material has the same
            await page.evaluate(() => window.moreau.app.toggle("shadows"));
            await until(page, () => window.moreau.app.stage.shadows);
            await sleep(500);
            await picture(page, "metal-with-shadows");
        }),

    "quality is given up without an empty picture": () =>
        withScene(["stack", "--set", "count=3"], async (page) => {
            // A canvas of another size is empty until it is drawn: both in one go.
            const [before, after] = await page.evaluate(() => {
                const { stage } = window.moreau.app;
                const width = stage.canvas.width;
                for (let k = 0; k < 60; ++k) stage.paced(1000); // slow pictures
                return [width, stage.canvas.width];
            });
            assert.equal(after, before, "the canvas keeps its size until the next picture");
            await until(page, (w) => window.moreau.app.stage.canvas.width < w, before);
        }, SHARP),

    "many contacts are force chains, with a scale in newton": () =>
        withScene(["beads", "--set", "count=200"], async (page) => {
            await page.keyboard.press("f");
            await until(page, () => window.moreau.app.frame.contactCount > 300);
            await until(page, () => document.querySelector(".scale-bar.chain"));
            assert.match(await page.textContent(".legend"), /[1-9]0* N \(width\)/);
            const tolerance = await page.evaluate(() => window.moreau.app.scene.tolerance);
            assert.ok(Math.abs(tolerance - 1e-8) < 1e-14, "the tolerance of the scene");
            await picture(page, "force-chains");
            // Hidden balls are left out, and come back where bodies are see-through.
            await page.keyboard.press(" ");
            await until(page, () => window.moreau.app.scene.playing === false);
            await sleep(300);
            const drawn = () =>
                page.evaluate(() => {
                    const { batches } = window.moreau.app.props.bodies;
                    const { merged, mesh } = batches.find(({ drawings: [one] }) => one.isRound);
                    return merged.mesh.geometry.drawRange.count / 6 / mesh.count;
                });
            assert.ok((await drawn()) < 0.9, `${await drawn()} of the balls are drawn`);
            await page.evaluate(() => window.moreau.app.toggle("glass"));
            await sleep(300);
            assert.equal(await drawn(), 1);
        }),

    "a click on a chart opens it large, with its kinds": () =>
        withScene(["domino"], async (page) => {
            await page.keyboard.press("o"); // on a busy machine it may rest before it is looked at
            await until(page, () => window.moreau.app.scene.restart === true);
            await until(page, () => window.moreau.time() > 0.1);
            await sleep(250);
            const left = await page.evaluate(() => {
                const canvas = document.querySelector(".chart:nth-child(3) .chart-canvas");
                const { data } = canvas.getContext("2d").getImageData(0, 0, 4, canvas.height);
                return data.some((value) => value > 0);
            });
            assert.ok(left, "a small chart has its whole width from the start");
            await until(page, () => window.moreau.time() > 0.4);
            await page.click(".chart:has-text('Contacts')");
            assert.match(await page.textContent("dialog.figure"), /sticking.*sliding.*open/s);
            const { width, height, inked } = await page.evaluate(() => {
                const canvas = document.querySelector(".figure-canvas");
                const { data } = canvas
                    .getContext("2d")
                    .getImageData(0, 0, canvas.width, canvas.height);
                let count = 0;
                for (let k = 3; k < data.length; k += 4) count += data[k] > 100 ? 1 : 0;
                const { width: w, height: h } = canvas.getBoundingClientRect();
                return { width: w, height: h, inked: count };
            });
            assert.ok(width > 500 && height > 250, `${width} x ${height}`);
            assert.ok(inked > 2000, "axes, labels and lines are drawn");
            await picture(page, "chart");
            await page.keyboard.press("Escape");
            assert.equal(await page.isVisible("dialog.figure"), false);
            await page.click(".chart:nth-child(2)");
            const kinds = /translation.*rotation.*gravity.*springs/s;
            assert.match(await page.textContent("dialog.figure"), kinds);
            await until(page, () => {
                window.energies = window.moreau.app.frame;
                return window.energies.rotation > 0;
            });
            const { kinetic, rotation } = await page.evaluate(() => window.energies);
            assert.ok(rotation < kinetic, `${rotation} of ${kinetic} J`);
            await page.keyboard.press("Escape");
            await page.click(".chart:has-text('Step time')");
            assert.match(await page.textContent("dialog.figure"), /collide.*assemble.*solve/s);
            await until(page, () => window.moreau.app.frame.phases[2] > 0); // of the solve
        }, SHARP),
});
