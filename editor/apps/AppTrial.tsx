import { X } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useMediaQuery } from '../session/use-media-query.ts';
import { IconButton } from '../ui/IconButton.tsx';

const AppChat = lazy(async () => ({ default: (await import('../chat/AppChat.tsx')).AppChat }));
const Drawer = lazy(async () => ({ default: (await import('../ui/Drawer.tsx')).Drawer }));

interface AppTrialProps {
  code: string;
  isChanged: boolean;
  onClose(): void;
}

/** A chat with the app beside its form; on small screens it slides over the form. */
export function AppTrial({ code, isChanged, onClose }: AppTrialProps) {
  const isWide = useMediaQuery('(min-width: 1024px)');
  const isPhone = useMediaQuery('(max-width: 639px)');
  const chat = <AppChat code={code} isChanged={isChanged} />;
  if (!isWide) {
    return (
      <Suspense fallback={null}>
        <Drawer
          side={isPhone ? 'bottom' : 'right'}
          title="Chat"
          open
          onOpenChange={(open) => !open && onClose()}
        >
          {chat}
        </Drawer>
      </Suspense>
    );
  }
  return (
    <aside
      aria-label="Chat"
      className="flex w-96 shrink-0 flex-col overflow-hidden border-l border-line bg-surface"
    >
      <div className="flex h-13 shrink-0 items-center justify-between border-b border-line py-2.5 pr-2 pl-4">
        <h2 className="font-semibold">Chat</h2>
        <IconButton size="sm" icon={X} label="Close the chat" onClick={onClose} />
      </div>
      <Suspense fallback={null}>{chat}</Suspense>
    </aside>
  );
}
