/** Finds the element with a given name. */

import type { Picked } from '../state/store.ts';
import type { Run } from './run.ts';

/** The element of a name; a node selects its beam, and an element that is not drawn may still have columns. */
export function findElement(run: Run, name: string): Picked | null {
  const { scene } = run.header;
  if (scene.beams.some((beam) => beam.name === name)) return { kind: 'beam', name };
  const figure = run.figure(name);
  if (figure !== undefined && figure > 0) {
    const beam = scene.beams.find(({ nodes }) => nodes.includes(figure));
    return beam ? { kind: 'beam', name: beam.name } : { kind: 'body', name };
  }
  if (scene.joints.some((joint) => joint.name === name)) return { kind: 'joint', name };
  if (scene.links.some((link) => link.name === name)) return { kind: 'link', name };
  if (scene.arrows.some((arrow) => arrow.name === name)) return { kind: 'contact', name };
  return run.columnsOf(name).length > 0 ? { kind: 'contact', name } : null;
}
