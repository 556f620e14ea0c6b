import { useChange as useAnyChange } from '../session/use-change.ts';

const READS = ['secrets', 'world', 'flows'];

/** Changes secrets; all that depends on them is read again. */
export const useChange = (onDone: () => void) => useAnyChange(READS, onDone);
