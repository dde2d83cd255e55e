// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The background: a sky that fades from the zenith to the horizon, where the ground ends.  The
 * horizon moves with the camera.
 */
import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial } from "three";
import type { Camera } from "three";
import type { Palette } from "./theme";

export class Sky {
    readonly mesh: Mesh;
    private readonly material = new ShaderMaterial({
        uniforms: {
            horizon: { value: -1 }, // height of the horizon, from -1 at the bottom to 1
            low: { value: new Color() },
            high: { value: new Color() },
        },
        vertexShader: /* glsl */ `
            uniform float horizon;
            varying float vHeight;
            void main() {
                // From the horizon to the top; below are the ground and the clear colour.
                float y = mix(clamp(horizon, -1.0, 1.0), 1.0, position.y);
                vHeight = 0.55 * (y - horizon);
                gl_Position = vec4(position.x, y, 1.0, 1.0);
            }`,
        fragmentShader: /* glsl */ `
            uniform vec3 low, high;
            varying float vHeight;
            void main() {
                gl_FragColor = vec4(mix(low, high, clamp(vHeight, 0.0, 1.0)), 1.0);
            }`,
        depthWrite: false,
    });

    constructor() {
        const quad = new BufferGeometry();
        const corners = new Float32Array([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0]);
        quad.setAttribute("position", new BufferAttribute(corners, 3));
        quad.setIndex([0, 1, 2, 0, 2, 3]);
        this.mesh = new Mesh(quad, this.material);
        this.mesh.frustumCulled = false;
        this.mesh.raycast = () => {};
        this.mesh.renderOrder = 4; // after the bodies, which cover most of it
    }

    /** Colours in sRGB, which the shader mixes directly. */
    setPalette(palette: Palette): void {
        const { low, high } = this.material.uniforms;
        low.value.set(palette.background).convertLinearToSRGB();
        high.value.set(palette.zenith).convertLinearToSRGB();
    }

    /** In space the horizon is at the level directions; planar scenes have one colour. */
    follow(camera: Camera, planar: boolean): void {
        const { elements: view } = camera.matrixWorldInverse;
        const { elements: lens } = camera.projectionMatrix;
        // The level direction ahead, in the axes of the camera: up is (u, v) = (view[9], view[10]).
        const [u, v] = [view[9], view[10]];
        const height = planar || u <= 0 ? 1 : lens[5] * (v / u) - lens[9];
        this.material.uniforms.horizon.value = Math.max(-4, Math.min(4, height));
    }
}
