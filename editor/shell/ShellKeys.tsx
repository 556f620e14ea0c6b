import { GoHint } from './GoHint.tsx';
import { useShellKeys } from './use-shell-keys.ts';

/** The keys of every screen, and the letters that they wait for. */
export function ShellKeys() {
  return useShellKeys() ? <GoHint /> : null;
}
