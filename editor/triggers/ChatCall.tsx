import { MessageCircle } from 'lucide-react';
import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { chatCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useSync } from '../session/session.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';

/** How to call a flow that answers chats: here, on the page Chat, and with any client of OpenAI's API. */
export function ChatCall() {
  const id = useSync((sync) => sync.record.id);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const base = `${location.origin}/v1`;
  const model = `${FLOW_PREFIX}${id}`;
  const curl = `curl -N ${base}/chat/completions \\
  -H 'Authorization: Bearer <API key>' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], stream: true })}'`;
  return (
    <section aria-label="How to chat with this flow" className="flex max-w-190 flex-col gap-3 p-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-60 flex-1">
          This flow answers chats: here, on the page{' '}
          <a href={`/chat?partner=${encodeURIComponent(model)}`} className="text-accent underline">
            Chat
          </a>
          , and to every client that speaks OpenAI’s chat API.
          {!isLive && ' It is not live yet, so it does not answer.'}
        </p>
        <CommandButton command={chatCommand} variant="secondary" icon={MessageCircle} />
      </div>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1 text-xs">
        <Value name="Base URL" text={base} />
        <Value name="Model" text={model} />
      </dl>
      <div className="flex items-start gap-1 rounded-md border border-line bg-surface-2 p-2">
        <pre className="min-w-0 flex-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap">{curl}</pre>
        <CopyButton label="Copy the command" text={curl} />
      </div>
      <p className="text-xs text-text-2">
        The key needs the scope <code className="font-mono">chat</code>; keys are made under{' '}
        <a href="/keys" className="text-accent underline">
          API keys
        </a>
        .
      </p>
    </section>
  );
}

function Value({ name, text }: { name: string; text: string }) {
  return (
    <>
      <dt className="text-text-2">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <code className="truncate font-mono">{text}</code>
        <CopyButton label={`Copy: ${name}`} text={text} />
      </dd>
    </>
  );
}
