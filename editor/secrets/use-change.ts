import { useChange as useAnyChange } from '../session/use-change.ts';

const READS = ['secrets', 'world', 'flows'];

/** Changes secrets and reloads everything that depends on them. */
export const useChange = (onDone: () => void) => useAnyChange(READS, onDone);
