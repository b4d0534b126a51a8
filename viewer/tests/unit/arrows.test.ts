import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Arrow } from '../../src/data/contract.ts';
import { partners, tradingSets } from '../../src/scene/arrows.ts';

function reaction(name: string, trades?: number[]): Arrow {
  const spot = { figure: 0, p: [0, 0, 0], q: [1, 0, 0, 0] } as Arrow['spot'];
  return { name, load: 'reaction', spot, vector: ['', '', ''], trades };
}

test('reactions that trade load are grouped by set', () => {
  const sets = tradingSets([reaction('low', [0, 1]), reaction('hook'), reaction('high', [0]), reaction('alone', [2])]);
  assert.deepEqual(
    sets.map((set) => set.map(({ name }) => name)),
    [['low', 'high']],
  );
});

test('a reaction names those with which it trades load, once', () => {
  const sets = tradingSets([reaction('low', [0, 1]), reaction('high', [0, 1]), reaction('middle', [1]), reaction('hook')]);
  assert.deepEqual(partners(sets, 'low'), ['high', 'middle']);
  assert.deepEqual(partners(sets, 'middle'), ['low', 'high']);
  assert.deepEqual(partners(sets, 'hook'), []);
});
