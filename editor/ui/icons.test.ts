import { Box } from 'lucide-react';
import { expect, test } from 'vitest';
import { builtIns } from '../../engine/testing/play.ts';
import { commands } from '../commands/index.ts';
import { iconNamed } from './icons.ts';

test('every icon that an operator of ours names is there', () => {
  const unknown = Object.values(builtIns.catalog.operators)
    .filter(({ icon }) => icon !== 'box' && iconNamed(icon) === Box)
    .map(({ type, icon }) => `${type}: ${icon}`);
  expect(unknown).toEqual([]);
});

test('every icon that a command names is there', () => {
  expect(commands.filter(({ icon }) => icon !== undefined && iconNamed(icon) === Box)).toEqual([]);
});

test('an unknown name is a box', () => {
  expect(iconNamed('of-my-own')).toBe(Box);
  expect(iconNamed(undefined)).toBe(Box);
});
