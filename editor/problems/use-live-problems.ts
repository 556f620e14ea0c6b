import { useEffect } from 'react';
import { useSession } from '../session/session.tsx';
import { watchProblems } from './watch-problems.ts';

/** Keeps the list of problems up to date, a moment after each change, so that typing stays fast. The shell calls it once. */
export function useLiveProblems(): void {
  const session = useSession();
  useEffect(() => watchProblems(session), [session]);
}
