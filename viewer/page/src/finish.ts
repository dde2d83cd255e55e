// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Moreau authors
/*
 * Metal and rubber, as given by the file: a surface reflects the sky, the ground and the sun like a
 * mirror blurred by its roughness. Metal reflects in its own colour and has little diffuse colour;
 * rough surfaces have no highlight. `moreau render` uses the same formula (render/finish.c).
 */
import { Color, MeshLambertMaterial, Vector3, type Side } from "three";
import type { Finish } from "./protocol";
import type { Palette } from "./theme";

/** Needs the uniforms sky, bounce, skyStrength, sunStrength; unit vectors in any one frame. */
export const FINISH = /* glsl */ `
    uniform float metallic, roughness;
    vec3 finished(vec3 shaded, vec3 surface, vec3 n, vec3 eye, vec3 up, vec3 sun) {
        float polish = 1.0 - roughness;
        vec3 way = reflect(-eye, n);
        float blur = mix(0.06, 1.0, roughness);
        vec3 around = mix(0.6 * bounce, sky, smoothstep(-blur, blur, dot(way, up)));
        float glint = pow(max(dot(way, sun), 0.0), 2.0 + 150.0 * polish * polish * polish);
        vec3 light = 0.55 * skyStrength * around;
        light += sunStrength * polish * (1.0 + 2.0 * polish) * glint;
        vec3 mirror = mix(vec3(0.04), surface, metallic);
        mirror += (1.0 - mirror) * polish * pow(1.0 - max(dot(n, eye), 0.0), 5.0);
        return (1.0 - metallic * (1.0 - 0.5 * roughness)) * shaded + mirror * light;
    }`;

/** The material of such bodies with shadows; `light` follows the palette. */
export function finishedMaterial(finish: Finish, side: Side): MeshLambertMaterial {
    const material = new MeshLambertMaterial({ vertexColors: true, side });
    const uniforms = {
        metallic: { value: finish.metallic },
        roughness: { value: finish.roughness },
        sky: { value: new Color() },
        bounce: { value: new Color() },
        skyStrength: { value: 1 },
        sunStrength: { value: 1 },
        vertical: { value: new Vector3(0, 0, 1) },
    };
    material.userData.uniforms = uniforms;
    material.onBeforeCompile = (shader) => {
        Object.assign(shader.uniforms, uniforms);
        const head = `uniform vec3 sky, bounce, vertical;
            uniform float skyStrength, sunStrength;
            ${FINISH}
            void main() {`;
        const light = `vec3 upwards = (viewMatrix * vec4(vertical, 0.0)).xyz;
            outgoingLight = finished(outgoingLight, diffuseColor.rgb, normal,
                normalize(vViewPosition), upwards, directionalLights[0].direction);
            #include <opaque_fragment>`;
        shader.fragmentShader = shader.fragmentShader
            .replace("void main() {", head)
            .replace("#include <opaque_fragment>", light);
    };
    return material;
}

export function lightFinished(material: MeshLambertMaterial, palette: Palette): void {
    const { sky, bounce, skyStrength, sunStrength } = material.userData.uniforms;
    sky.value.set(palette.sky);
    bounce.value.set(palette.bounce);
    skyStrength.value = palette.skyStrength;
    sunStrength.value = palette.sunStrength;
}
