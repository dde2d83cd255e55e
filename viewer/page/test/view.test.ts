// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
import assert from "node:assert/strict";
import { test } from "node:test";
import { PerspectiveCamera, Ray, Sphere, Vector3 } from "three";
import { toLocal, toWorld } from "../src/bodies";
import { rangeOf } from "../src/charts";
import { decadesOf, ticksOf } from "../src/figure";
import { roundBelow, shownSide, upwards } from "../src/forces";
import { hullBalls } from "../src/framing";
import { roundLength } from "../src/ground";
import { nearestFirst, seenFirst } from "../src/hidden";
import { readView, writeView } from "../src/link";
import { capsuleOutline, hullOutline, plate, boxOutline } from "../src/planar";
import type { ShapeInfo } from "../src/protocol";
import { edgedBox, layerDepth, octasphere } from "../src/shapes";

test("a view survives its link", () => {
    const view = {
        scene: "brazil nut",
        set: { count: 30, mu: 0.25 },
        camera: [1, 2, 3, 0, 0, 0.5, 1],
        show: ["contacts", "log"],
        theme: "dark",
        time: 1.25,
    };
    assert.deepEqual(readView(writeView(view)), view);
});

test("links that were damaged lose what cannot be read", () => {
    assert.deepEqual(readView("#camera=1,2&set=a:b,c:2&theme=pink&t=&%"), { set: { c: 2 } });
    assert.deepEqual(readView(""), {});
});

test("the middle of a hull is left out, and it turns left", () => {
    const hull = hullOutline([0, 0, 9, 2, 0, 9, 2, 2, 9, 0, 2, 9, 1, 1, 9, 1, 0, 9]);
    assert.deepEqual(hull, [
        [0, 0],
        [2, 0],
        [2, 2],
        [0, 2],
    ]);
});

/** The volume inside a closed surface of triangles; positive where they turn outwards. */
function volume(geometry: ReturnType<typeof octasphere>): number {
    const p = geometry.getAttribute("position");
    const index = geometry.getIndex();
    let sum = 0;
    const at = (k: number) => [p.getX(k), p.getY(k), p.getZ(k)];
    for (let k = 0; k < (index?.count ?? 0); k += 3) {
        const [a, b, c] = [0, 1, 2].map((corner) => at(index?.getX(k + corner) ?? 0));
        sum +=
            (a[0] * (b[1] * c[2] - b[2] * c[1]) +
                a[1] * (b[2] * c[0] - b[0] * c[2]) +
                a[2] * (b[0] * c[1] - b[1] * c[0])) /
            6;
    }
    return sum;
}

test("balls and boxes are closed, turned outwards, and as large as they say", () => {
    assert.ok(Math.abs(volume(octasphere(12)) / ((4 / 3) * Math.PI) - 1) < 0.02);
    assert.ok(Math.abs(volume(edgedBox([1, 2, 3], 0.1)) - 48) < 1e-4);
    assert.ok(Math.abs(volume(edgedBox([1, 2, 3], 0)) - 48) < 1e-4);
});

test("a plate reaches to its outline", () => {
    const geometry = plate(boxOutline(1, 2), 0.5);
    const p = geometry.getAttribute("position");
    const corners = Array.from({ length: p.count }, (_, k) => [p.getX(k), p.getY(k), p.getZ(k)]);
    assert.equal(Math.max(...corners.map(([x]) => x)), 1);
    assert.equal(Math.min(...corners.map(([, y]) => y)), -2);
    assert.equal(Math.max(...corners.map(([, , z]) => z)), 0.25);
});

test("all of a capsule's outline is its radius away from the segment", () => {
    for (const [x, y] of capsuleOutline([0, 0], [3, 0], 0.5, 16)) {
        const nearest = Math.min(3, Math.max(0, x));
        assert.ok(Math.abs(Math.hypot(x - nearest, y) - 0.5) < 1e-12);
    }
});

test("points go to the world and back", () => {
    const angle = 0.7;
    const poses = Float32Array.of(1, 2, 3, Math.cos(angle / 2), 0, 0, Math.sin(angle / 2));
    const world = toWorld(poses, 0, [1, 0, 0]);
    assert.ok(
        Math.abs(world[0] - (1 + Math.cos(angle))) < 1e-6 &&
            Math.abs(world[1] - (2 + Math.sin(angle))) < 1e-6,
    );
    toLocal(poses, 0, world).forEach((x, k) => assert.ok(Math.abs(x - [1, 0, 0][k]) < 1e-6));
});

test("charts have room around a constant, start at zero where they should, and hide noise", () => {
    const [least, most] = rangeOf([5, 5, 5], 0, 3, false);
    assert.ok(least < 5 && most > 5);
    const [low, high] = rangeOf([1e6, 1e6 + 0.06], 0, 2, false); // the noise of single precision
    assert.ok(high - low > 1e4);
    assert.equal(rangeOf([2, 4], 0, 2, true)[0], 0);
    assert.deepEqual(rangeOf([NaN, Infinity], 0, 2, false), [0, 1]);
    const noise = rangeOf([1e-19, 8e-19, 3e-19], 0, 3, true, 1e-9);
    assert.ok(noise[0] === 0 && noise[1] >= 1e-9, "noise of 1e-19 J stays at the bottom");
});

test("axes have round numbers", () => {
    assert.deepEqual(ticksOf(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(ticksOf(-3.2, 7.9, 3), [0, 5]);
    assert.deepEqual(decadesOf(-9.5, -3.2), [-9, -8, -7, -6, -5, -4]);
});

test("lengths of grids are round", () => {
    assert.deepEqual(
        [0.9, 1.7, 4, 80, 0.012].map(roundLength).map((x) => Number(x.toPrecision(3))),
        [1, 2, 5, 100, 0.01],
    );
    assert.deepEqual([1, 2, 4, 5, 0].map(layerDepth), [0, 1, 2, 2, 0]);
});

test("balls around a shape hold its corners", () => {
    const shape = {
        body: 0,
        pose: [],
        radius: 0.5,
        half: [1, 2, 3],
        ends: [
            [0, 0, 0],
            [0, 0, 2],
        ],
        points: [0, 0, 0, 4, 5, 6, 1, 9, 2],
        indices: [],
        layer: 1,
        colour: null,
        finish: null,
    };
    const span = (kind: string) => {
        const balls = hullBalls({ ...shape, kind } as unknown as ShapeInfo);
        return [0, 1, 2].map((c) => [
            Math.min(...balls.map((b) => b[c] - b[3])),
            Math.max(...balls.map((b) => b[c] + b[3])),
        ]);
    };
    assert.deepEqual(span("box"), [
        [-1, 1],
        [-2, 2],
        [-3, 3],
    ]);
    assert.deepEqual(span("capsule"), [
        [-0.5, 0.5],
        [-0.5, 0.5],
        [-0.5, 2.5],
    ]);
    assert.deepEqual(span("hull"), [
        [0, 4],
        [0, 9],
        [0, 6],
    ]);
    assert.deepEqual(span("cylinder"), [
        [-0.5, 0.5],
        [-0.5, 0.5],
        [-3, 3],
    ]);
    assert.deepEqual(hullBalls({ ...shape, kind: "plane" } as unknown as ShapeInfo), []);
});

test("balls are sorted by their depth", () => {
    assert.deepEqual(Array.from(nearestFirst(Float32Array.of(3, 1, 2))), [1, 2, 0]);
    assert.deepEqual(Array.from(nearestFirst(Float32Array.of(-3, -1, -2))), [0, 2, 1]);
});

test("a ball is left out only where nearer ones hide it", () => {
    // a heap of balls of two sizes in layers, and an eye beside it with a picture that is shifted
    const [balls, camera] = [[] as number[][], new PerspectiveCamera(32, 16 / 9, 0.1, 100)];
    let seed = 7;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    for (let x = 0; x < 9; ++x)
        for (let y = 0; y < 9; ++y)
            for (let z = 0; z < 9; ++z)
                balls.push([x + 0.1 * random(), y, z + 0.05 * random(), z % 2 ? 0.5 : 0.44]);
    camera.position.set(14, -9, 12);
    camera.up.set(0, 0, 1);
    camera.lookAt(4, 4, 4);
    camera.setViewOffset(1280, 720, 120, 30, 1280, 720);
    camera.updateMatrixWorld();
    const matrices = new Float32Array(16 * balls.length);
    balls.forEach(([x, y, z, radius], k) =>
        matrices.set([radius, 0, 0, 0, 0, radius, 0, 0, 0, 0, radius, 0, x, y, z, 1], 16 * k),
    );
    const { matrixWorldInverse: view, projectionMatrix: lens } = camera;
    const kept = new Set(seenFirst(matrices, balls.length, { view, lens, changed: true }));
    assert.ok(kept.size < 0.6 * balls.length, `${kept.size} of ${balls.length} are drawn`);
    const way = new Vector3();
    const hit = new Vector3();
    for (let y = -0.99; y < 1; y += 0.02)
        for (let x = -0.99; x < 1; x += 0.02) {
            way.set(x, y, 0.5).unproject(camera).sub(camera.position).normalize();
            const ray = new Ray(camera.position, way);
            let [nearest, first] = [Infinity, -1];
            balls.forEach(([bx, by, bz, radius], k) => {
                const ball = new Sphere(new Vector3(bx, by, bz), radius);
                const far = ray.intersectSphere(ball, hit)?.distanceTo(camera.position);
                if (far !== undefined && far < nearest) [nearest, first] = [far, k];
            });
            assert.ok(first < 0 || kept.has(first), `ball ${first} is seen at ${x}, ${y}`);
        }
});

test("a force is shown on the selected, the movable, the upper or the later body", () => {
    const movable = [false, true, true, true];
    assert.equal(shownSide(1, 2, 0.9, movable, -1), 1, "b is above a");
    assert.equal(shownSide(2, 1, -0.9, movable, -1), -1, "the same pair, named the other way");
    assert.equal(shownSide(1, 2, 0.9, movable, 1), -1, "the selected one");
    assert.equal(shownSide(3, 0, 0.9, movable, -1), -1, "the ground never");
    assert.equal(shownSide(0, 3, -0.9, movable, -1), 1);
    assert.equal(shownSide(3, 1, 0.01, movable, -1), -1, "level: the later one");
    assert.equal(shownSide(1, 3, -0.01, movable, -1), 1);
    assert.deepEqual(upwards([0, -2, 0]), [-0, 1, -0]);
    assert.deepEqual(upwards([0, 0, 0]), [0, 0, 0]);
});

test("scale bars have round forces", () => {
    const rounded = [1, 4.9, 5, 99, 0.0123].map((x) => Number(roundBelow(x).toPrecision(3)));
    assert.deepEqual(rounded, [1, 2, 5, 50, 0.01]);
});
