import { LogOut } from 'lucide-react';
import { signOut } from '../api/session.ts';
import { useApp, useServer } from '../shell/app-context.tsx';
import { Logo } from '../shell/Logo.tsx';
import { ThemeMenu } from '../shell/ThemeMenu.tsx';
import { IconButton } from '../ui/IconButton.tsx';

export function HomeBar() {
  const { server } = useApp();
  const version = useServer((state) => state.session?.version);
  const leave = async (): Promise<void> => {
    try {
      await signOut();
    } finally {
      await server.getState().check();
    }
  };
  return (
    <header className="flex h-13 shrink-0 items-center gap-2 border-b border-line bg-surface px-3">
      <Logo />
      <span className="text-[15px] font-semibold">Weft</span>
      {version && <span className="text-xs text-text-2">{version}</span>}
      <span className="flex-1" />
      <ThemeMenu />
      <IconButton icon={LogOut} label="Sign out" onClick={() => void leave()} />
    </header>
  );
}
