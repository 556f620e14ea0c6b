import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { availability, type Command, targetOf } from '../commands/command.ts';
import { runCommand } from '../commands/shortcuts.ts';
import { useSession } from './session.tsx';

/** Whether a command is enabled (or why not), kept up to date, and how to execute it. */
export function useCommand(command: Command): { enabled: true | string; run(): void } {
  const session = useSession();
  const subscribe = useCallback(
    (changed: () => void) => {
      const { editor, runs, ui, sync } = targetOf(command, session);
      const stops = [editor, runs, ui, sync].map((store) => store.subscribe(changed));
      return () => stops.forEach((stop) => stop());
    },
    [command, session],
  );
  const enabled = useSyncExternalStore(subscribe, () => availability(command, session));
  return useMemo(
    () => ({ enabled, run: () => void runCommand(command, session) }),
    [command, session, enabled],
  );
}
