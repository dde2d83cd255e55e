// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * The light of the stage (a sky and a sun) computed at the corners of triangles instead of at every pixel: for scenes without
 * shadows.  It looks nearly the same as MeshLambertMaterial and costs a fraction where the processor draws.
 */
import { Color, ShaderMaterial, Vector3 } from "three";
import type { Palette } from "./theme";

export const SUN_SPACE = new Vector3(-0.55, -0.5, 1.15).normalize();
export const SUN_PLANE = new Vector3(-0.35, 0.75, 1.6).normalize();

const VERTEX = /* glsl */ `
    attribute vec3 color;
    varying vec3 vShade;
    uniform vec3 sun, up, sky, bounce;
    uniform float skyStrength, sunStrength;
    void main() {
        mat3 turn = mat3(instanceMatrix);
        // The columns are scaled: their inverse transpose divides by the squares of the scales.
        vec3 n = normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]));
        n = normalize(turn * n);
        vec3 light = mix(bounce, sky, 0.5 + 0.5 * dot(n, up)) * skyStrength + max(dot(n, sun), 0.0) * sunStrength;
        vShade = color * instanceColor * light * 0.3183099;
        gl_Position = projectionMatrix * viewMatrix * instanceMatrix * vec4(position, 1.0);
    }`;

const FRAGMENT = /* glsl */ `
    varying vec3 vShade;
    uniform float opacity;
    void main() {
        gl_FragColor = vec4(vShade, opacity);
        #include <colorspace_fragment>
    }`;

export function plainMaterial(planar: boolean): ShaderMaterial {
    return new ShaderMaterial({
        vertexShader: VERTEX,
        fragmentShader: FRAGMENT,
        uniforms: {
            sun: { value: planar ? SUN_PLANE : SUN_SPACE },
            up: { value: planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1) },
            sky: { value: new Color() },
            bounce: { value: new Color() },
            skyStrength: { value: 1 },
            sunStrength: { value: 1 },
            opacity: { value: 1 },
        },
    });
}

export function lightPlainly(material: ShaderMaterial, palette: Palette): void {
    const { uniforms } = material;
    uniforms.sky.value.set(palette.sky);
    uniforms.bounce.value.set(palette.bounce);
    uniforms.skyStrength.value = palette.skyStrength;
    uniforms.sunStrength.value = palette.sunStrength;
}
