/** Elements at a point of the screen: joints and links by their distance in pixels, bodies and beams by ray casting. */

import { Raycaster, Vector2, Vector3, type Camera } from 'three';
import type { Point, SceneData } from '../data/contract.ts';
import type { Picked } from '../state/store.ts';
import type { Beams } from './beams.ts';
import type { Bodies } from './bodies.ts';
import type { Joints } from './joints.ts';
import type { Links } from './links.ts';

const JOINT_PIXELS = 9;
const LINK_PIXELS = 6;

export interface Pickable {
  scene: SceneData;
  bodies: Bodies;
  beams: Beams;
  joints: Joints;
  links: Links;
}

export function toScreen(
  point: Point,
  camera: Camera,
  width: number,
  height: number,
): { x: number; y: number; depth: number } {
  const seen = new Vector3(...point).project(camera);
  return { x: ((seen.x + 1) / 2) * width, y: ((1 - seen.y) / 2) * height, depth: seen.z };
}

function toSegment(x: number, y: number, a: { x: number; y: number }, b: { x: number; y: number }): number {
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const long = dx * dx + dy * dy;
  const s = long > 0 ? Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / long)) : 0;
  return Math.hypot(x - a.x - s * dx, y - a.y - s * dy);
}

/** All elements at a point, nearest first; a second click at the same point selects the next. */
export function under(
  x: number,
  y: number,
  what: Pickable,
  camera: Camera,
  width: number,
  height: number,
  flat: boolean,
): Picked[] {
  const found: Picked[] = [];
  if (what.joints.object.visible) {
    const near = what.joints.names().flatMap((name, k) => {
      const at = toScreen(what.joints.places[k], camera, width, height);
      const away = Math.hypot(at.x - x, at.y - y);
      return away < JOINT_PIXELS && at.depth < 1 ? [{ name, away }] : [];
    });
    near.sort((a, b) => a.away - b.away);
    for (const { name } of near) found.push({ kind: 'joint', name });
  }
  if (what.links.object.visible) {
    for (const { name, path } of what.links.segments()) {
      const seen = path.map((point) => toScreen(point, camera, width, height));
      const close = seen.some((point, k) => k > 0 && toSegment(x, y, seen[k - 1], point) < LINK_PIXELS);
      if (close) found.push({ kind: 'link', name });
    }
  }
  const ray = new Raycaster();
  ray.setFromCamera(new Vector2((x / width) * 2 - 1, 1 - (y / height) * 2), camera);
  const solid: { picked: Picked; order: number }[] = [];
  for (const hit of what.bodies.hits(ray)) {
    if (hit.figure === 0) continue;
    // The planar view orders bodies by layer, not by depth.
    solid.push({
      picked: { kind: 'body', name: what.scene.figures[hit.figure].name },
      order: flat ? -hit.figure : hit.distance,
    });
  }
  for (const hit of what.beams.hits(ray))
    solid.push({ picked: { kind: 'beam', name: hit.name }, order: flat ? -Infinity : hit.distance });
  solid.sort((a, b) => a.order - b.order);
  const seen = new Set<string>();
  for (const { picked } of solid) {
    if (seen.has(picked.name)) continue;
    seen.add(picked.name);
    found.push(picked);
  }
  return found;
}
