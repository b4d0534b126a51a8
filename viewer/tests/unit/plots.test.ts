import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { test } from 'node:test';
import { ghostTitles, strangers } from '../../src/data/compare.ts';
import type { Column, Extreme, Header } from '../../src/data/contract.ts';
import { openContainer } from '../../src/data/decode.ts';
import { Run } from '../../src/data/run.ts';
import { lonely, tickTexts, timeEnds } from '../../src/plots/axes.ts';
import { reasons, toneOfVerdict } from '../../src/panels/banner.ts';
import { dampingText, isFree } from '../../src/panels/modes.ts';
import { remarks, telling } from '../../src/panels/summary.ts';
import { csvText } from '../../src/plots/export.ts';
import { together } from '../../src/plots/ghost.ts';
import { grouped, lively } from '../../src/plots/groups.ts';
import { matching } from '../../src/plots/search.ts';
import { pictureRatio, scaleBar } from '../../src/scene/picture.ts';
import { beam, crowd } from '../../sample/spatial.ts';

const column = (name: string, unit = 'N', meaning = ''): Column => ({
  name,
  unit,
  meaning,
  element: null,
  family: '',
  array: 0,
});

test('a search finds all words, the name itself first', () => {
  const columns = [
    column('crank.fx.peak'),
    column('main.fx', 'N', 'reaction along x'),
    column('fx'),
    column('other', 'm'),
  ];
  assert.deepEqual(
    matching(columns, 'fx').map(({ name }) => name),
    ['fx', 'crank.fx.peak', 'main.fx'],
  );
  assert.deepEqual(
    matching(columns, 'x reaction').map(({ name }) => name),
    ['main.fx'],
  );
  assert.equal(matching(columns, '').length, 4);
  assert.equal(matching(columns, 'nothing').length, 0);
});

test('ticks are distinguished with the fewest digits', () => {
  assert.deepEqual(tickTexts([0, 0.5, 1]), ['0.0', '0.5', '1.0']);
  assert.deepEqual(tickTexts([-10, 0, 10]), ['\u221210', '0', '10']);
  assert.deepEqual(
    tickTexts([0, 0.25]),
    ['0.00', '0.25'].map((text) => text),
  );
});

test('a zoomed CSV holds the rows of the zoom with units in its head', () => {
  const run = new Run(openContainer(gunzipSync(beam())));
  const lines = csvText(run, ['blade.8.z'], [1, 1.01]).trim().split('\n');
  assert.equal(lines[0], 't [s],blade.8.z [m]');
  assert.equal(lines.length, 4);
  assert.ok(Math.abs(Number(lines[1].split(',')[0]) - 1) < 1e-12);
});

test('two runs on one axis keep every row of both', () => {
  const one = new Run(openContainer(gunzipSync(crowd(1, 5))));
  const two = new Run(openContainer(gunzipSync(crowd(1, 9))));
  const a = one.values('body 1.z') ?? [];
  const b = two.values('body 1.z') ?? [];
  const { t, columns } = together([
    { times: one.times, columns: [a] },
    { times: two.times, columns: [b] },
    { times: Float64Array.of(two.times[0], two.times[8] + 1), columns: [[1, 2]] },
  ]);
  const [own, other, late] = columns;
  assert.equal(t.length, 10);
  assert.deepEqual([late[0][0], late[0][1], late[0][9]], [1, undefined, 2]);
  assert.deepEqual(
    Array.from(own[0]).filter((value) => value !== undefined),
    Array.from(a),
  );
  assert.deepEqual(Array.from(other[0]).slice(0, 9), Array.from(b));
});

test('columns of an element go together by level, reactions before accelerations', () => {
  const of = (name: string, unit: string, element: string, family: string): Column => ({
    ...column(name, unit),
    element,
    family,
  });
  const groups = grouped([
    of('b.ax', 'm/s²', 'b', 'accelerations'),
    of('b.x', 'm', 'b', 'state'),
    of('b.vx', 'm/s', 'b', 'state'),
    of('b.angle', 'rad', 'b', 'state'),
    of('b.w', 'rad/s', 'b', 'state'),
    of('j.fx', 'N', 'j', 'reactions'),
    of('j.mz', 'N m', 'j', 'reactions'),
  ]);
  assert.deepEqual(groups, [
    { title: 'b', names: ['b.x', 'b.angle'] },
    { title: 'b', names: ['b.vx', 'b.w'] },
    { title: 'j', names: ['j.fx', 'j.mz'] },
    { title: 'b', names: ['b.ax'] },
  ]);
});

test('columns that stay at zero or at its rounding are left out of what a pick shows', () => {
  const of = (name: string): Column => ({ ...column(name), element: 'j', family: 'reactions' });
  const data: Record<string, number[]> = { fx: [1, -20], fy: [0, 0], fz: [1e-17, 3e-13] };
  const kept = lively(['fx', 'fy', 'fz'].map(of), (name) => data[name] ?? null);
  assert.deepEqual(
    kept.map(({ name }) => name),
    ['fx'],
  );
});

test('loads in axes of the joint come after those in axes of the world', () => {
  const of = (name: string, unit: string): Column => ({ ...column(name, unit), element: 'j', family: 'reactions' });
  const groups = grouped([of('j.fx', 'N'), of('j.fx_j', 'N'), of('j.mx', 'N m'), of('j.mx_j', 'N m')]);
  assert.deepEqual(
    groups.map(({ names }) => names),
    [
      ['j.fx', 'j.mx'],
      ['j.fx_j', 'j.mx_j'],
    ],
  );
});

test('values without a neighbour get a dot, rows of the other run are no gaps', () => {
  assert.deepEqual(lonely([3]), [0]);
  assert.deepEqual(lonely([1, 2, null, 4, null, 6]), [3, 5]);
  assert.deepEqual(lonely([1, undefined, 2, null, undefined, 5, undefined]), [5]);
  assert.deepEqual(lonely([]), []);
  assert.deepEqual(timeEnds(0, 4), [0, 4]);
  assert.deepEqual(timeEnds(2, 2), [1.5, 2.5]);
});

test('each verdict has its own colour', () => {
  assert.deepEqual((['sound', 'doubtful', 'wrong'] as const).map(toneOfVerdict), ['', 'doubtful', 'bad']);
});

test('a stopped run says why, each reason once', () => {
  const stopped = (outcome: string, message: string | null, trouble: string | null): { header: Header } => ({
    header: {
      summary: { outcome, message },
      health: { trouble: trouble === null ? null : { t: 1, element: 'pin', message: trouble } },
    } as unknown as Header,
  });
  assert.deepEqual(reasons(stopped('finished', 'all well', null)), []);
  assert.deepEqual(reasons(stopped('stopped by an event', null, null)), []);
  assert.deepEqual(reasons(stopped('failed', 'the step is too small', null)), ['the step is too small']);
  assert.deepEqual(reasons(stopped('failed', 'same', 'same')), ['same']);
  assert.deepEqual(reasons(stopped('failed', 'a: the joint locks', 'the joint locks')), ['a: the joint locks']);
  assert.equal(reasons(stopped('failed', 'one', 'another')).length, 2);
  assert.equal(reasons(stopped('failed', null, null)).length, 1);
});

test('saved pictures are wide enough to print, with a bar of a round length', () => {
  for (const width of [320, 813, 1919, 2600]) assert.ok(width * pictureRatio(width, 1) >= 1920, String(width));
  assert.equal(pictureRatio(2600, 2), 2);
  const { metres, pixels } = scaleBar(0.001, 2000);
  assert.equal(metres, 0.2);
  assert.equal(pixels, 200);
});

test('round-off is no damping, and free motions are separated from eigenmodes', () => {
  assert.equal(dampingText(7.5e-33), 'damping 0');
  assert.equal(dampingText(-2e-12), 'damping 0');
  assert.equal(dampingText(0.05), 'damping 0.0500');
  assert.equal(dampingText(null), '');
  assert.ok(isFree({ kind: 'free', label: '`rod` turns about `hinge` (z)' }));
  assert.ok(!isFree({ kind: 'free', label: 'mode 7' }));
  assert.ok(!isFree({ kind: 'swings', label: 'mode 1' }));
});

test('a comparison of strangers says so', () => {
  const run = (title: string, names: string[]): { header: Header } => ({
    header: {
      summary: { title },
      scene: { title },
      table: { columns: names.map((name) => column(name)) },
    } as unknown as Header,
  });
  assert.equal(strangers(run('a', ['x', 'y', 'z']), run('b', ['x'])), null);
  assert.match(strangers(run('a', ['x', 'y', 'z', 'u']), run('b', ['x'])) ?? '', /Only 1 of the 4 columns of “a”/);
  assert.deepEqual(ghostTitles(run('a', []), [run('b', [])]), ['b']);
  assert.deepEqual(ghostTitles(run('a', []), [run('a', [])]), ['compared run']);
  const three = ghostTitles(run('a', []), [run('b', []), run('c', []), run('b', [])]);
  assert.deepEqual(three, ['b (compared run 1)', 'c', 'b (compared run 3)']);
});

test('extremes that are zero all the time are left out', () => {
  const one = (least: number, largest: number): Extreme => ({
    name: 'pin',
    kind: 'reaction',
    quantity: 'force',
    unit: 'N',
    least,
    least_at: 0,
    largest,
    largest_at: 0,
  });
  assert.deepEqual(telling([one(0, 0), one(-1, 0), one(0, 2)]).length, 2);
});

test('reactions that are not unique have a remark', () => {
  const found = remarks([{ name: 'a' }, { name: 'b', determinacy: 'partly' }, { name: 'c', determinacy: 'not_unique' }]);
  assert.deepEqual([...found], [['b', 'partly unique'], ['c', 'not unique']]);
});
