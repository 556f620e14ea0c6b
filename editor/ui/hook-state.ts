import { CircleCheck, CirclePause, Hand, LoaderCircle, type LucideIcon, TriangleAlert } from 'lucide-react';
import type { Hook } from '#shared/hook-api.ts';
import type { Tone } from './Badge.tsx';

interface HookState {
  readonly tone: Tone;
  readonly icon: LucideIcon;
  readonly text: string;
}

/** How the registration of a trigger at its service stands. */
export const HOOK_STATES: Readonly<Record<Hook['state'], HookState>> = {
  registered: { tone: 'ok', icon: CircleCheck, text: 'Registered' },
  registering: { tone: 'busy', icon: LoaderCircle, text: 'Being registered' },
  failed: { tone: 'bad', icon: TriangleAlert, text: 'Not registered' },
  'by-hand': { tone: 'neutral', icon: Hand, text: 'You enter the address' },
  elsewhere: { tone: 'neutral', icon: CirclePause, text: 'Registered for another address' },
};
