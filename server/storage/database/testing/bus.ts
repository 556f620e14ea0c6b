import { type Bus, createLocalBus } from '../bus.ts';

/** A bus whose listeners may not throw. */
export function testBus(): Bus {
  return createLocalBus((error) => {
    throw error;
  });
}

const KEYS = [Buffer.alloc(32, 1)];
/** Keys of servers on a database of a test. */
export const noticeKeys = { keys: () => KEYS };
