import { expect, test } from 'vitest';
import { createSignalReader } from './signals.ts';

test('the first signal stops, an echo of it is ignored, a later one leaves at once', () => {
  let now = 10;
  const read = createSignalReader(() => now);
  expect(read()).toBe('stop');
  now = 300;
  expect(read()).toBe('repeat');
  now = 600;
  expect(read()).toBe('leave');
});
