import { test } from 'vitest';
import { killWhileSaving } from './testing/killed-saves.ts';

// More moments are in `kill.full.test.ts`.
test('a server killed in a save leaves a whole flow file', () => killWhileSaving(2));
