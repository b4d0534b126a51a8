/** Toolbar of the scene: views, projection, visible elements, arrow lengths, and a legend. */

import { ghostTitles } from '../data/compare.ts';
import type { Run } from '../data/run.ts';
import { button, download, element, fileName, named, shorten } from '../dom.ts';
import { iconButton } from '../icons.ts';
import { instant, length, quantity } from '../math/format.ts';
import { readPalette, type Palette } from '../state/palette.ts';
import type { Shown, Store } from '../state/store.ts';
import type { View } from './camera.ts';
import type { Stage } from './stage.ts';

/** Most reactions that are named beside a selected one. */
const MOST_TRADERS = 6;

const WORDS: Record<Shown, string> = {
  bodies: 'bodies',
  joints: 'joints',
  links: 'springs, ropes, rods',
  beams: 'beams',
  grid: 'grid',
  reactions: 'reactions',
  moments: 'moments',
  contacts: 'contact forces',
  applied: 'applied loads',
  velocities: 'velocities',
  markers: 'marker frames',
  trails: 'path of the selected body',
  names: 'names of bodies',
  ghost: 'compared run',
};

const TINT: Partial<Record<Shown, keyof Palette>> = {
  reactions: 'reaction',
  moments: 'moment',
  contacts: 'contact',
  applied: 'applied',
  velocities: 'velocity',
  ghost: 'ghost',
};

function swatch(kind: Shown, palette: Palette): HTMLElement | null {
  const tint = TINT[kind];
  if (!tint) return null;
  const made = element('i', { class: 'swatch' });
  made.style.background = palette[tint] as string;
  return made;
}

/** Kinds of elements that this run contains. */
function present(run: Run, stage: Stage, ghost: boolean): { things: Shown[]; arrows: Shown[]; extras: Shown[] } {
  const { scene } = run.header;
  const things: Shown[] = ['bodies'];
  if (scene.joints.length > 0) things.push('joints');
  if (scene.links.length > 0) things.push('links');
  if (scene.beams.length > 0) things.push('beams');
  things.push('grid');
  const arrows = (['reactions', 'moments', 'contacts', 'applied', 'velocities'] as Shown[]).filter((kind) =>
    stage.arrows.present.has(kind),
  );
  const extras: Shown[] = ['trails', 'names'];
  if (stage.markers.count > 0) extras.unshift('markers');
  if (ghost) extras.push('ghost');
  return { things, arrows, extras };
}

export function sceneTools(
  store: Store,
  stage: Stage,
  run: Run,
  ghosts: Run[],
): { tools: HTMLElement; legend: HTMLElement; refresh: () => void } {
  const planar = run.header.scene.space === 'planar';
  const views = element('div', { class: 'group', role: 'group', 'aria-label': 'Views' });
  const choices: [View | 'fit' | 'instant', string, string][] = [
    ['front', 'Front', 'Front view (1)'],
    ['side', 'Side', 'Side view (2)'],
    ['top', 'Top', 'Top view (3)'],
    ['iso', 'Oblique', 'Oblique view (4)'],
    ['fit', 'Fit', 'Fit the whole motion (0)'],
    ['instant', 'Fit now', 'Fit the model at this instant (9)'],
  ];
  for (const [view, label, title] of choices)
    views.append(
      button(label, title, () => {
        stage.view(view);
        refresh();
      }),
    );

  const flat = button('Flat', 'Planar view', () => {
    const next = stage.eye.stance === 'flat' ? 'orbit' : 'flat';
    stage.eye.stance = next;
    if (next === 'flat') stage.eye.projection = 'orthographic';
    stage.view(next === 'flat' ? 'front' : 'iso');
    refresh();
  });
  const perspective = button('Perspective', 'Perspective or parallel projection', () => {
    stage.eye.projection = stage.eye.projection === 'perspective' ? 'orthographic' : 'perspective';
    if (stage.eye.projection === 'perspective') stage.eye.stance = 'orbit';
    stage.touch();
    refresh();
  });
  const follow = button('Follow', 'Follow the selected body (f)', () => {
    const { picked, follow: now } = store.state;
    store.set({ follow: now !== null ? null : (picked?.name ?? null) });
  });
  const save = iconButton('camera', 'Save this picture as PNG', () => {
    const { mode, time } = store.state;
    const title = run.header.summary.title || run.header.scene.title;
    const shape = mode ? run.header.modes[mode.index] : undefined;
    const when = shape
      ? shorten(shape.frequency > 0 ? `${shape.label}, ${quantity(shape.frequency, 'Hz')}` : shape.label, 60)
      : `t = ${instant(time, run.end - run.begin)} s`;
    stage.picture({ title, time: when }, readPalette(), (blob) => download(blob, fileName(title, 'png')));
  });
  const kind = element(
    'div',
    { class: 'group', role: 'group', 'aria-label': 'Projection' },
    planar && flat,
    perspective,
    follow,
  );

  const menu = element('details', { class: 'menu' }, element('summary', {}, 'Show'));
  const sheet = element('div', { class: 'sheet' });
  menu.append(sheet);
  const boxes = new Map<Shown, HTMLInputElement>();
  const groups = present(run, stage, ghosts.length > 0);

  const check = (shown: Shown): HTMLElement => {
    const box = element('input', { type: 'checkbox' });
    box.addEventListener('change', () => store.show(shown, box.checked));
    boxes.set(shown, box);
    return element('label', { 'data-kind': shown }, box, WORDS[shown]);
  };
  const scale = (label: string, key: 'forceScale' | 'velocityScale'): HTMLElement => {
    const slider = element('input', {
      type: 'range',
      min: -1.5,
      max: 1.5,
      step: 0.05,
      value: 0,
      'aria-label': `length of ${label} arrows`,
    });
    slider.addEventListener('input', () => store.set({ [key]: 10 ** Number(slider.value) }));
    slider.addEventListener('dblclick', () => {
      slider.value = '0';
      store.set({ [key]: 1 });
    });
    return element('label', { class: 'scale', title: 'Double-click for the automatic length' }, label, slider);
  };
  if (groups.arrows.length > 0) {
    sheet.append(element('h3', {}, 'Arrows'), ...groups.arrows.map(check));
    if (groups.arrows.some((one) => one !== 'velocities')) sheet.append(scale('forces', 'forceScale'));
    if (groups.arrows.includes('velocities')) sheet.append(scale('velocities', 'velocityScale'));
  }
  sheet.append(
    element('h3', {}, 'Model'),
    ...groups.things.map(check),
    element('h3', {}, 'More'),
    ...groups.extras.map(check),
  );
  document.addEventListener('pointerdown', (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });

  const legend = element('div', { class: 'legend' });
  const refresh = (): void => {
    const { shown, forceScale, velocityScale, picked, follow: followed } = store.state;
    const palette = readPalette();
    for (const [shownKind, box] of boxes) {
      box.checked = shown[shownKind];
      const label = box.parentElement as HTMLElement;
      label.querySelector('.swatch')?.remove();
      const mark = swatch(shownKind, palette);
      if (mark) box.after(mark);
    }
    flat.setAttribute('aria-pressed', String(stage.eye.stance === 'flat'));
    perspective.setAttribute('aria-pressed', String(stage.eye.projection === 'perspective'));
    follow.setAttribute('aria-pressed', String(followed !== null));
    follow.disabled = followed === null && picked?.kind !== 'body' && picked?.kind !== 'beam';
    const items: HTMLElement[] = [];
    const mode = store.state.mode ? run.header.modes[store.state.mode.index] : undefined;
    if (mode)
      items.push(
        element(
          'span',
          { class: 'posed' },
          named(mode.label),
          mode.frequency > 0 ? quantity(mode.frequency, 'Hz') : mode.kind,
        ),
      );
    if (shown.grid) items.push(element('span', {}, `grid ${length(stage.ground.cell)}`));
    const forces = groups.arrows.filter((one) => one !== 'velocities' && one !== 'moments' && shown[one]);
    for (const one of forces) items.push(element('span', {}, swatch(one, palette), WORDS[one]));
    if (shown.reactions && stage.arrows.open)
      items.push(element('span', { style: `color: ${palette.trouble}` }, 'not unique; linked reactions trade load'));
    const traders = shown.reactions && picked ? stage.arrows.partners(picked.name) : [];
    if (picked && traders.length > 0) {
      const named = traders.slice(0, MOST_TRADERS).join(', ');
      const more = traders.length > MOST_TRADERS ? ` and ${traders.length - MOST_TRADERS} more` : '';
      const words = `${picked.name} trades load with ${named}${more}`;
      items.push(element('span', { class: 'trades', style: `color: ${palette.trouble}` }, words));
    }
    const force = forces.length > 0 ? stage.arrows.key('force', forceScale) : null;
    if (force)
      items.push(element('span', {}, `${quantity(force.value, force.unit, 1)} is drawn as ${length(force.length)}`));
    if (shown.moments && groups.arrows.includes('moments')) {
      const moment = stage.arrows.key('moment', forceScale);
      items.push(
        element(
          'span',
          {},
          swatch('moments', palette),
          moment ? `moments, ${quantity(moment.value, moment.unit, 1)} is drawn with radius ${length(moment.length)}` : 'moments',
        ),
      );
    }
    if (shown.velocities && groups.arrows.includes('velocities')) {
      const speed = stage.arrows.key('velocity', velocityScale);
      items.push(
        element(
          'span',
          {},
          swatch('velocities', palette),
          speed
            ? `velocities, ${quantity(speed.value, speed.unit, 1)} is drawn as ${length(speed.length)}`
            : 'velocities',
        ),
      );
    }
    if (shown.ghost)
      for (const title of ghostTitles(run, ghosts))
        items.push(element('span', {}, swatch('ghost', palette), named(title, '', 60)));
    legend.replaceChildren(...items);
  };
  let shownMode = -1;
  store.on(['mode'], ({ mode }) => {
    if ((mode?.index ?? -1) === shownMode) return;
    shownMode = mode?.index ?? -1;
    refresh();
  });
  store.on(['shown', 'forceScale', 'velocityScale', 'picked', 'follow', 'theme'], refresh);
  refresh();
  const tools = element('div', { class: 'tools' }, views, kind, element('div', { class: 'space' }), save, menu);
  return { tools, legend, refresh };
}
