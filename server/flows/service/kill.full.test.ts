import { test } from 'vitest';
import { killWhileSaving } from './testing/killed-saves.ts';

test('a server killed at any moment of a save leaves a whole flow file', () => killWhileSaving(10));
