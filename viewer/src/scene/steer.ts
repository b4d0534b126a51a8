/** Camera control by mouse, touch and keys on the canvas. */

import type { Eye } from './camera.ts';

export interface Steered {
  changed: () => void;
  click: (x: number, y: number) => void;
  hover: (x: number, y: number) => void;
  leave: () => void;
}

const CLICK_SLACK = 4;

export function steer(canvas: HTMLCanvasElement, eye: Eye, on: Steered): void {
  const fingers = new Map<number, { x: number; y: number }>();
  let moved = 0;
  let pinch = 0;

  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('pointerdown', (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved = 0;
    pinch = 0;
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      on.hover(event.offsetX, event.offsetY);
      return;
    }
    const dx = event.offsetX - before.x;
    const dy = event.offsetY - before.y;
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved <= CLICK_SLACK) return;
    const height = canvas.clientHeight;
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      const apart = Math.hypot(a.x - b.x, a.y - b.y);
      if (pinch > 0 && apart > 0) eye.zoom(pinch / apart);
      pinch = apart;
      eye.pan(dx / 2, dy / 2, height);
    } else if (eye.stance === 'flat' || event.buttons === 2 || event.buttons === 4 || event.shiftKey) {
      eye.pan(dx, dy, height);
    } else {
      eye.orbit((dx / height) * 3.2, (dy / height) * 3.2);
    }
    on.changed();
  });
  const release = (event: PointerEvent): void => {
    const was = fingers.delete(event.pointerId);
    if (was && moved <= CLICK_SLACK && event.type === 'pointerup' && event.button === 0)
      on.click(event.offsetX, event.offsetY);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => on.leave());
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const x = (event.offsetX / canvas.clientWidth) * 2 - 1;
      const y = 1 - (event.offsetY / canvas.clientHeight) * 2;
      const amount = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
      eye.zoom(Math.exp(Math.max(-240, Math.min(240, amount)) * 0.0016), x, y);
      on.changed();
    },
    { passive: false },
  );
}

/** Rotates or moves the view by a key; returns whether the key was handled. */
export function steerByKey(event: KeyboardEvent, eye: Eye, height: number): boolean {
  const sideways = event.key === 'ArrowLeft' ? 1 : event.key === 'ArrowRight' ? -1 : 0;
  const upright = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
  if (event.shiftKey && (sideways !== 0 || upright !== 0)) {
    if (eye.stance === 'flat' || event.altKey) eye.pan(sideways * 40, upright * 40, height);
    else eye.orbit(sideways * 0.12, upright * 0.12);
    return true;
  }
  if (event.key === 'i' || event.key === 'o') {
    eye.zoom(event.key === 'i' ? 0.85 : 1 / 0.85);
    return true;
  }
  return false;
}
