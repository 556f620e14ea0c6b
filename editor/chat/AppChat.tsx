import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { APP_PREFIX } from '#shared/chat-names.ts';
import { askChat } from '../api/chat.ts';
import type { Chat } from './chat-store.ts';
import { PanelChat } from './PanelChat.tsx';

interface AppChatProps {
  code: string;
  /** Whether its form has changes that are not saved. */
  isChanged: boolean;
}

/** A chat with an app beside its form. */
export function AppChat({ code, isChanged }: AppChatProps) {
  const navigate = useNavigate();
  const chat = useRef<Chat>(undefined);
  useEffect(() => () => chat.current?.leave(), []);
  return (
    <PanelChat
      name={`${APP_PREFIX}${code}`}
      running={undefined}
      onBegin={(begun) => {
        chat.current = begun;
      }}
      ask={askChat}
      onRun={(id) => void navigate({ to: '/runs/$id', params: { id } })}
      target={undefined}
      hasAgents
      title="Chat with this app"
      note={isChanged && <ChangesWait />}
    >
      Each answer links to its run, and tells which tools its agents used.
    </PanelChat>
  );
}

function ChangesWait() {
  return (
    <p role="status" className="border-b border-line px-3 py-1.5 text-xs text-text-2">
      The saved app answers here. Save your changes to try them.
    </p>
  );
}
