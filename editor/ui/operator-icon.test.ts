import { Box } from 'lucide-react';
import { expect, test } from 'vitest';
import { operatorIcon } from './operator-icon.ts';

test('an operator without a drawing, and an unknown one, is a box', () => {
  expect(operatorIcon({ icon: 'of-my-own' })).toBe(Box);
  expect(operatorIcon(undefined)).toBe(Box);
});

test('one drawing is one component, so that nothing is drawn anew', () => {
  const icon = operatorIcon({ icon: 'ship', drawing: 'M1 2L3 4' });
  expect(icon).not.toBe(Box);
  expect(operatorIcon({ icon: 'ship', drawing: 'M1 2L3 4' })).toBe(icon);
  expect(operatorIcon({ icon: 'plane', drawing: 'M1 2L3 5' })).not.toBe(icon);
});
