/**
 * Thin dark edges around bodies: the back faces, drawn again and expanded by a pixel or two.
 *
 * Costs one draw call per geometry; the instances share their matrices with the filled bodies.
 */

import { BackSide, BufferAttribute, BufferGeometry, ShaderMaterial, type Color, Vector2, Vector3 } from 'three';
import { flatness, FLAT_HEAD, flatTail, slot } from './flat.ts';

/** Size of the drawing buffer in pixels, and pixels per CSS pixel; shared by all outlines. */
export const screen = { size: { value: new Vector2(1, 1) }, ratio: { value: 1 } };

/**
 * Adds the direction in which each vertex is moved: the sum of the distinct face normals that meet there,
 * so that a box corner moves along its diagonal and both edges get the same width.
 */
export function addOutward(geometry: BufferGeometry): void {
  const position = geometry.getAttribute('position');
  const normal = geometry.getAttribute('normal');
  const meeting = new Map<string, Vector3[]>();
  const keys: string[] = [];
  geometry.computeBoundingSphere();
  const resolution = 1e4 / (geometry.boundingSphere?.radius || 1);
  const n = new Vector3();
  for (let k = 0; k < position.count; k += 1) {
    const key = `${Math.round(position.getX(k) * resolution)},${Math.round(position.getY(k) * resolution)},${Math.round(position.getZ(k) * resolution)}`;
    keys.push(key);
    n.fromBufferAttribute(normal, k);
    const known = meeting.get(key) ?? [];
    if (!known.some((other) => other.dot(n) > 0.75)) known.push(n.clone());
    meeting.set(key, known);
  }
  const outward = new Float32Array(position.count * 3);
  keys.forEach((key, k) => {
    const sum = new Vector3();
    for (const one of meeting.get(key) ?? []) sum.add(one);
    if (sum.length() > 1.8) sum.setLength(1.8);
    sum.toArray(outward, k * 3);
  });
  geometry.setAttribute('outward', new BufferAttribute(outward, 3));
}

/** Edge of one deforming surface, expanded along its normals. */
export function skinOutline(colour: { value: Color }, layer: number): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide,
    uniforms: { flatness, slotDepth: { value: slot(4) }, screenSize: screen.size, ratio: screen.ratio, tint: colour },
    vertexShader: `
      uniform vec2 screenSize;
      uniform float ratio;
      ${FLAT_HEAD}
      void main() {
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_Position.xy += (normalMatrix * normal).xy * 1.4 * ratio * 2.0 / screenSize * gl_Position.w;
        ${flatTail(`(${layer.toFixed(4)} + 0.6 * slotDepth)`)}
      }`,
    fragmentShader: `
      uniform vec3 tint;
      void main() {
        gl_FragColor = vec4(tint, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

/** Instances carry `edge`: red, green, blue and width in CSS pixels. */
export function outlineMaterial(count: number): ShaderMaterial {
  return new ShaderMaterial({
    side: BackSide,
    uniforms: { flatness, slotDepth: { value: slot(count) }, screenSize: screen.size, ratio: screen.ratio },
    vertexShader: `
      attribute vec3 outward;
      attribute vec4 edge;
      attribute float layer;
      uniform vec2 screenSize;
      uniform float ratio;
      ${FLAT_HEAD}
      varying vec3 tint;
      void main() {
        tint = edge.rgb;
        mat3 turn = mat3(normalize(instanceMatrix[0].xyz), normalize(instanceMatrix[1].xyz), normalize(instanceMatrix[2].xyz));
        gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
        vec3 push = normalMatrix * (turn * outward);
        gl_Position.xy += push.xy * edge.a * ratio * 2.0 / screenSize * gl_Position.w;
        ${flatTail('(layer + 0.6 * slotDepth)')}
      }`,
    fragmentShader: `
      varying vec3 tint;
      void main() {
        gl_FragColor = vec4(tint, 1.0);
        #include <colorspace_fragment>
      }`,
  });
}
