import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Bot, BrainCircuit, MessagesSquare, Workflow } from 'lucide-react';
import { APP_PREFIX, DATA_PREFIX, FLOW_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import { askChat, type Conversation, type Partner, stopAnswer } from '../api/chat.ts';
import { createChat } from './chat-store.ts';
import { chosenPartner, kindOf, memoryOf, nameOf, rememberPartner, textsOf } from './partners.ts';
import { Talk } from './Talk.tsx';
import { Select } from '../ui/Select.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

interface ChatViewProps {
  conversation: string;
  /** The stored conversation; undefined for a new one. */
  before: Conversation | undefined;
  partners: readonly Partner[];
  /** The chat partner, if it is known. */
  named: string | undefined;
  onPartner(id: string): void;
  onSend(): void;
}

/** One conversation: its partner, its messages, and the composer. */
export function ChatView({ conversation, before, partners, named, onPartner, onSend }: ChatViewProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [chat] = useState(() =>
    createChat({
      conversation,
      before: textsOf(before),
      ...memoryOf(conversation),
      ask: askChat,
      stop: stopAnswer,
    }),
  );
  useEffect(() => chat.leave, [chat]);
  const partner = chosenPartner(partners, named);

  const showRun = (id: string): void => void navigate({ to: '/runs/$id', params: { id } });

  const ask = (work: (model: string) => Promise<void>): void => void asked(work);

  async function asked(work: (model: string) => Promise<void>): Promise<void> {
    if (partner === undefined) return;
    rememberPartner(partner);
    onSend();
    await work(partner);
    await queries.invalidateQueries({ queryKey: ['conversations'] });
  }

  return (
    <>
      <ChatHeader partners={partners} partner={partner} onPartner={onPartner} />
      <Talk
        chat={chat}
        ask={ask}
        isReady={partner !== undefined}
        noFiles={noFilesFor(partner)}
        onRun={showRun}
        target={targetOf(partner)}
        hasAgents={mayHaveAgents(partner)}
      >
        <NothingSaid
          partner={partners.find(({ id }) => id === partner)}
          onAsk={(text) => ask((model) => chat.send(model, text))}
        />
      </Talk>
    </>
  );
}

/** Agents answer in apps, and in flows that have them as nodes. */
function mayHaveAgents(partner: string | undefined): boolean {
  return partner?.startsWith(APP_PREFIX) === true || partner?.startsWith(FLOW_PREFIX) === true;
}

/** Spaces and databases answer from what they hold. */
function noFilesFor(partner: string | undefined): string | undefined {
  if (partner?.startsWith(KNOWLEDGE_PREFIX))
    return 'A space answers from its own documents: add files to it under Knowledge.';
  if (partner?.startsWith(DATA_PREFIX)) return 'A database answers from its own rows: it reads no files.';
  return undefined;
}

/** Evaluations ask flows, and search in spaces. */
function targetOf(partner: string | undefined): EvaluationTarget | undefined {
  if (partner?.startsWith(FLOW_PREFIX)) return { flow: partner.slice(FLOW_PREFIX.length) };
  if (partner?.startsWith(KNOWLEDGE_PREFIX))
    return { space: partner.slice(KNOWLEDGE_PREFIX.length), limit: 10 };
  return undefined;
}

interface ChatHeaderProps {
  partners: readonly Partner[];
  partner: string | undefined;
  onPartner(id: string): void;
}

const ICONS: Readonly<Record<string, typeof Bot>> = { app: Bot, flow: Workflow };

/** The chat partner. */
function ChatHeader({ partners, partner, onPartner }: ChatHeaderProps) {
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
        isData
        className="max-w-80"
      />
    </div>
  );
}

interface NothingSaidProps {
  partner: Partner | undefined;
  onAsk(text: string): void;
}

const FIRST = 'Count to 5';

/** Before the first message: who answers, and suggestions to start with. */
function NothingSaid({ partner, onAsk }: NothingSaidProps) {
  if (!partner) {
    return (
      <EmptyState icon={MessagesSquare} title="Who do you want to chat with?">
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
