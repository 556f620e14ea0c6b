import { MessagesSquare } from 'lucide-react';
import type { Partner } from '../api/chat.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { nameOf } from './partners.ts';

interface NothingSaidProps {
  partner: Partner | undefined;
  onAsk(text: string): void;
}

const FIRST = 'Count to 5';

/** Before the first message: who answers, and suggestions to start with. */
export function NothingSaid({ partner, onAsk }: NothingSaidProps) {
  if (!partner) {
    return (
      <EmptyState icon={MessagesSquare} title="Whom would you like to chat with?">
        Choose a model, an app or a flow above.
      </EmptyState>
    );
  }
  const isDemo = partner.owned_by === 'demo';
  return (
    <EmptyState
      icon={MessagesSquare}
      title={`A new chat with ${nameOf(partner)}`}
      action={isDemo && <Button onClick={() => onAsk(FIRST)}>{FIRST}</Button>}
    >
      {isDemo
        ? 'The demo needs no key and no network: it gives the same answer each time. Real models are added under Models.'
        : partner.description || 'Write below. Enter sends, Shift+Enter starts a new line.'}
    </EmptyState>
  );
}
