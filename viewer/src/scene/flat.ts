/**
 * Planar view: shapes in the same plane are drawn in layers of depth.
 *
 * Bodies of a planar mechanism are all at z = 0 and would intersect. In the planar view the depth of a vertex is its
 * layer, plus a small part of its own depth; positions on the screen and in the matrices do not change.
 */

import type { Material, WebGLProgramParametersWithUniforms } from 'three';

/** 1 in the planar view, 0 otherwise; shared by all materials. */
export const flatness = { value: 0 };

/** Depth layers, far to near, in -1..1; bodies are spread over their own range. */
export const LAYER = {
  ground: 0.9,
  ghost: 0.8,
  bodiesFar: 0.7,
  bodiesNear: -0.1,
  link: -0.2,
  beam: -0.3,
  joint: -0.4,
  marker: -0.5,
  arrow: -0.7,
};

/** Depth of the k-th of `count` bodies. */
export function bodyLayer(k: number, count: number): number {
  return LAYER.bodiesFar + ((LAYER.bodiesNear - LAYER.bodiesFar) * k) / Math.max(1, count);
}

/** Fraction of its own depth that a shape keeps within its layer. */
export function slot(count: number): number {
  return 0.4 / Math.max(4, count);
}

export const FLAT_HEAD = 'uniform float flatness; uniform float slotDepth;';

export function flatTail(layer: string): string {
  return `gl_Position.z = mix(gl_Position.z, (${layer} + clamp(gl_Position.z / gl_Position.w, -1.0, 1.0) * slotDepth) * gl_Position.w, flatness);`;
}

/** A further change to the shader, by name: materials that share a name share a program. */
export interface ShaderChange {
  name: string;
  change: (shader: WebGLProgramParametersWithUniforms) => void;
}

/** Assigns a layer to a material, or to each instance by its attribute. */
export function layered(material: Material, layer: number | 'instance', count = 4, more?: ShaderChange): void {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.flatness = flatness;
    shader.uniforms.slotDepth = { value: slot(count) };
    const head = layer === 'instance' ? `attribute float layer; ${FLAT_HEAD}` : FLAT_HEAD;
    const tail = flatTail(layer === 'instance' ? 'layer' : layer.toFixed(4));
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${head}`)
      .replace('#include <project_vertex>', `#include <project_vertex>\n${tail}`);
    more?.change(shader);
  };
  material.customProgramCacheKey = () => `${String(layer)}/${count}/${more?.name ?? ''}`;
}
