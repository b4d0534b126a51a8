/** State of the page; its parts listen to the keys that they display. */

export type Kind = 'body' | 'joint' | 'link' | 'beam' | 'contact';

export interface Picked {
  kind: Kind;
  name: string;
}

export const SHOWN = [
  'bodies',
  'joints',
  'links',
  'beams',
  'grid',
  'reactions',
  'moments',
  'contacts',
  'applied',
  'velocities',
  'markers',
  'trails',
  'names',
  'ghost',
] as const;
export type Shown = (typeof SHOWN)[number];

export interface ModePlay {
  index: number;
  /** Factor on the amplitude of the mode, relative to the default one. */
  amplitude: number;
  /** Cycles of the phase per second. */
  rate: number;
  phase: number;
}

export interface State {
  time: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  picked: Picked | null;
  hovered: Picked | null;
  shown: Record<Shown, boolean>;
  forceScale: number;
  velocityScale: number;
  follow: string | null;
  theme: 'light' | 'dark';
  size: 'normal' | 'large';
  mode: ModePlay | null;
  /** Time range shown by all plots; null for the whole run. */
  zoom: [number, number] | null;
}

type Listener = (state: Readonly<State>) => void;

export class Store {
  private current: State;
  private readonly listeners = new Map<keyof State, Set<Listener>>();

  constructor(start: State) {
    this.current = start;
  }

  get state(): Readonly<State> {
    return this.current;
  }

  set(change: Partial<State>): void {
    const notified = new Set<Listener>();
    const before = this.current;
    this.current = { ...before, ...change };
    for (const key of Object.keys(change) as (keyof State)[]) {
      if (before[key] === this.current[key]) continue;
      for (const listener of this.listeners.get(key) ?? []) notified.add(listener);
    }
    for (const listener of notified) listener(this.current);
  }

  /** Calls the listener whenever one of the keys has a new value. */
  on(keys: (keyof State)[], listener: Listener): void {
    for (const key of keys) {
      const known = this.listeners.get(key);
      if (known) known.add(listener);
      else this.listeners.set(key, new Set([listener]));
    }
  }

  show(kind: Shown, on: boolean): void {
    this.set({ shown: { ...this.current.shown, [kind]: on } });
  }
}

export function startState(time: number): State {
  return {
    time,
    playing: false,
    speed: 1,
    loop: true,
    picked: null,
    hovered: null,
    shown: {
      bodies: true,
      joints: true,
      links: true,
      beams: true,
      grid: true,
      reactions: false,
      moments: false,
      contacts: true,
      applied: false,
      velocities: false,
      markers: false,
      trails: true,
      names: false,
      ghost: true,
    },
    forceScale: 1,
    velocityScale: 1,
    follow: null,
    theme: 'light',
    size: 'normal',
    mode: null,
    zoom: null,
  };
}
