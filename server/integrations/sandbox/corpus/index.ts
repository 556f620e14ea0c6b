import type { Attack } from './attack.ts';
import { hangAttacks, lateAttacks } from './hang.ts';
import { libraryAttacks } from './library.ts';
import { channelAttacks, memoryAttacks, streamAttacks } from './memory.ts';
import { realmAttacks, syntaxAttacks } from './realm.ts';
import { tamperAttacks } from './tamper.ts';

/** All hostile code, by what it attempts. */
export const corpus: Readonly<Record<string, readonly Attack[]>> = {
  'reaching another realm': realmAttacks,
  'closing the function': syntaxAttacks,
  'changing what others rely on': tamperAttacks,
  'computing or waiting for ever': hangAttacks,
  'going on behind the result': lateAttacks,
  'taking all memory': memoryAttacks,
  'results, errors, logs and questions': channelAttacks,
  streams: streamAttacks,
  'the library': libraryAttacks,
};
