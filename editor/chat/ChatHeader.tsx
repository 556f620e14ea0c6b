import { Bot, BrainCircuit, Workflow } from 'lucide-react';
import type { Partner } from '../api/chat.ts';
import { Select } from '../ui/Select.tsx';
import { kindOf, nameOf } from './partners.ts';

interface ChatHeaderProps {
  partners: readonly Partner[];
  partner: string | undefined;
  onPartner(id: string): void;
}

const ICONS: Readonly<Record<string, typeof Bot>> = { app: Bot, flow: Workflow };

/** The chat partner. */
export function ChatHeader({ partners, partner, onPartner }: ChatHeaderProps) {
  const options = partners.map((one) => ({
    value: one.id,
    label: nameOf(one),
    hint: [kindOf(one), one.description].filter(Boolean).join(': '),
    icon: ICONS[one.owned_by] ?? BrainCircuit,
  }));
  const isOffered = options.some(({ value }) => value === partner);
  const lost =
    partner === undefined || isOffered ? [] : [{ value: partner, label: `${partner} (not offered)` }];
  return (
    <div className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
      <h1 className="sr-only">Chat</h1>
      <span aria-hidden className="text-text-2">
        With
      </span>
      <Select
        label="Chat with"
        value={partner}
        onValueChange={onPartner}
        options={[...options, ...lost]}
        className="max-w-80"
      />
    </div>
  );
}
