import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const keyLength = 32;

/** Compares with a password that people choose: slow on purpose (scrypt), and in constant time. */
export function createPasswordCheck(password: string): (attempt: string) => Promise<boolean> {
  const salt = randomBytes(16);
  let expected: Promise<Buffer> | undefined;
  return async (attempt) => {
    expected ??= derive(password, salt, keyLength);
    return timingSafeEqual(await derive(attempt, salt, keyLength), await expected);
  };
}
