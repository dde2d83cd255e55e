// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Materials for images without shadows. They look nearly like MeshLambertMaterial and cost a
 * fraction of it in software rendering.
 *
 *   plain   the light of the stage (a sky and a sun) at vertices instead of at every pixel
 *   ball    two triangles that face the eye; every pixel computes its point on the ball
 *   disc    the same for the discs of planar scenes
 *
 * A ball has the depth of its middle plane, which is inside it along every ray. This suffices for
 * bodies that do not overlap and rejects hidden pixels early. EXACT gives the depth of the surface,
 * for balls that overlap other shapes, such as parts of a robot.
 */
import { Color, ShaderMaterial, Vector3, type DataTexture, type Side } from "three";
import { FINISH } from "./finish";
import { COPIES } from "./merged";
import type { Finish } from "./protocol";
import type { Palette } from "./theme";

export const SUN_SPACE = new Vector3(-0.55, -0.5, 1.15).normalize();
export const SUN_PLANE = new Vector3(-0.35, 0.75, 1.6).normalize();

const LIGHT = /* glsl */ `
    uniform vec3 sun, up, sky, bounce;
    uniform float skyStrength, sunStrength;
    vec3 lit(float upwards, float sunwards) {
        vec3 around = mix(bounce, sky, 0.5 + 0.5 * upwards) * skyStrength;
        return (around + max(sunwards, 0.0) * sunStrength) * 0.3183099;
    }`;

/* From light to sRGB, at the vertices: a conversion at every pixel is expensive. */
const SCREEN = /* glsl */ `
    vec3 onScreen(vec3 c) {
        vec3 bright = 1.055 * pow(c, vec3(0.41666)) - 0.055;
        return mix(bright, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
    }`;

const PLAIN_VERTEX = /* glsl */ `
    attribute vec3 color;
    varying vec3 vShade;
    ${COPIES}
    ${LIGHT}
    ${SCREEN}
    void main() {
        mat4 pose = copyMatrix();
        mat3 turn = mat3(pose);
        // The columns are scaled: their inverse transpose divides by the squares of the scales.
        vec3 n = normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]));
        n = normalize(turn * n);
        vShade = onScreen(color * copyColour() * lit(dot(n, up), dot(n, sun)));
        gl_Position = projectionMatrix * viewMatrix * pose * vec4(position, 1.0);
    }`;

const PLAIN_FRAGMENT = /* glsl */ `
    varying vec3 vShade;
    uniform float opacity;
    void main() {
        gl_FragColor = vec4(vShade, opacity);
    }`;

/*
 * With c the centre, r the radius and d the distance of the eye, the outline of a ball is the
 * circle of radius r d / sqrt(d^2 - r^2) around c in the plane that faces the eye.  m = (x, y, z)
 * is the normal in the axes (right, above, towards the eye).
 */
const BALL_VERTEX = /* glsl */ `
    varying vec2 vAt;
    flat varying vec3 vColour, vSun, vUp, vTurnX, vTurnY, vTurnZ, vShine;
    flat varying vec4 vDepth; // view z of the centre, and of m = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    flat varying vec2 vLens;
    ${COPIES}
    ${LIGHT}
    ${SCREEN}
    void main() {
        mat4 pose = copyMatrix();
        vec3 centre = pose[3].xyz;
        float radius = length(pose[0].xyz);
        vec3 towards = cameraPosition - centre;
        float d = max(length(towards), 1.001 * radius);
        towards /= d;
        vec3 screenUp = vec3(viewMatrix[0][1], viewMatrix[1][1], viewMatrix[2][1]);
        vec3 across = normalize(cross(screenUp, towards));
        vec3 above = cross(towards, across);
        float wide = radius * d / sqrt(d * d - radius * radius);
        vAt = position.xy;
        vColour = onScreen(copyColour());
        vSun = vec3(dot(across, sun), dot(above, sun), dot(towards, sun));
        vShine = normalize(vSun + vec3(0.0, 0.0, 1.0)); // halfway between the sun and the eye
        vUp = vec3(dot(across, up), dot(above, up), dot(towards, up));
        mat3 axes = mat3(across, above, towards);
        vTurnX = pose[0].xyz * axes;
        vTurnY = pose[1].xyz * axes;
        vTurnZ = pose[2].xyz * axes;
        vec3 back = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);
        vDepth = vec4((viewMatrix * vec4(centre, 1.0)).z, radius * (back * axes));
        vLens = vec2(projectionMatrix[2][2], projectionMatrix[3][2]);
        vec3 corner = centre + wide * (position.x * across + position.y * above);
        gl_Position = projectionMatrix * viewMatrix * vec4(corner, 1.0);
    }`;

const BALL_FRAGMENT = /* glsl */ `
    varying vec2 vAt;
    flat varying vec3 vColour, vSun, vUp, vTurnX, vTurnY, vTurnZ, vShine;
    flat varying vec4 vDepth;
    flat varying vec2 vLens;
    uniform float opacity;
    ${LIGHT}
    void main() {
        float square = dot(vAt, vAt);
        if (square > 1.0) discard;
        vec3 m = vec3(vAt, sqrt(1.0 - square));
        #ifdef EXACT
            float z = vDepth.x + dot(m, vDepth.yzw);
            gl_FragDepth = 0.5 - 0.5 * (vLens.x + vLens.y / z);
        #endif
        float octant = dot(m, vTurnX) * dot(m, vTurnY) * dot(m, vTurnZ);
        // The screen's value of a product is near the product of the values; that of light is near
        // this polynomial.
        vec3 light = lit(dot(m, vUp), dot(m, vSun)) * (octant < 0.0 ? 0.9 : 1.0);
        float gloss = max(dot(m, vShine), 0.0);
        gloss *= gloss;
        gloss *= gloss;
        gloss *= gloss * gloss;
        vec3 seen = vColour * sqrt(light) * (1.06 - 0.06 * light) + 0.22 * gloss * gloss;
        gl_FragColor = vec4(seen, opacity);
    }`;

/* Metal and rubber: light at every pixel. */
const FINISHED_VERTEX = /* glsl */ `
    attribute vec3 color;
    varying vec3 vNormal, vPoint;
    varying vec3 vSurface;
    ${COPIES}
    void main() {
        mat4 pose = copyMatrix();
        mat3 turn = mat3(pose);
        vec3 n = normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]));
        vNormal = turn * n;
        vSurface = color * copyColour();
        vec4 at = pose * vec4(position, 1.0);
        vPoint = at.xyz;
        gl_Position = projectionMatrix * viewMatrix * at;
    }`;

const FINISHED_FRAGMENT = /* glsl */ `
    varying vec3 vNormal, vPoint;
    varying vec3 vSurface;
    uniform float opacity;
    ${LIGHT}
    ${SCREEN}
    ${FINISH}
    void main() {
        vec3 n = normalize(vNormal);
        vec3 shaded = vSurface * lit(dot(n, up), dot(n, sun));
        vec3 eye = normalize(cameraPosition - vPoint);
        gl_FragColor = vec4(onScreen(finished(shaded, vSurface, n, eye, up, sun)), opacity);
    }`;

const DISC_VERTEX = /* glsl */ `
    varying vec2 vAt;
    flat varying vec3 vShade;
    ${COPIES}
    ${LIGHT}
    ${SCREEN}
    void main() {
        vAt = position.xy;
        vShade = onScreen(copyColour() * lit(up.z, sun.z));
        gl_Position = projectionMatrix * viewMatrix * copyMatrix() * vec4(position.xy, 0.5, 1.0);
    }`;

/* A rim and a radial mark, as in plate() of planar.ts. */
const DISC_FRAGMENT = /* glsl */ `
    varying vec2 vAt;
    flat varying vec3 vShade;
    uniform float opacity;
    void main() {
        float square = dot(vAt, vAt);
        if (square > 1.0) discard;
        bool dark = square > 0.846 || (vAt.x > 0.0 && abs(vAt.y) < 0.04);
        gl_FragColor = vec4(dark ? 0.85 * vShade : vShade, opacity);
    }`;

const SHADERS = {
    plain: [PLAIN_VERTEX, PLAIN_FRAGMENT],
    ball: [BALL_VERTEX, BALL_FRAGMENT],
    disc: [DISC_VERTEX, DISC_FRAGMENT],
    finished: [FINISHED_VERTEX, FINISHED_FRAGMENT],
};

export type PlainKind = keyof typeof SHADERS;

export function plainMaterial(
    kind: PlainKind,
    planar: boolean,
    side: Side,
    matrices: DataTexture,
    colours: DataTexture,
    exact: boolean,
    finish: Finish | null,
): ShaderMaterial {
    const [vertexShader, fragmentShader] = SHADERS[kind];
    return new ShaderMaterial({
        vertexShader,
        fragmentShader,
        side,
        defines: exact ? { EXACT: "" } : {},
        uniforms: {
            matrices: { value: matrices },
            colours: { value: colours },
            sun: { value: planar ? SUN_PLANE : SUN_SPACE },
            up: { value: planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1) },
            sky: { value: new Color() },
            bounce: { value: new Color() },
            skyStrength: { value: 1 },
            sunStrength: { value: 1 },
            opacity: { value: 1 },
            metallic: { value: finish?.metallic ?? 0 },
            roughness: { value: finish?.roughness ?? 1 },
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
