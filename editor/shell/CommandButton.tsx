import type { LucideIcon } from 'lucide-react';
import type { Command } from '../commands/command.ts';
import { ariaKeys } from '../commands/keys.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { iconNamed } from '../ui/icons.ts';
import { Tooltip } from '../ui/Tooltip.tsx';
import { useCommand } from './use-command.ts';

interface CommandButtonProps {
  command: Command;
  /** With words; else the icon alone. */
  variant?: 'primary' | 'secondary' | 'ghost';
  icon?: LucideIcon;
  label?: string;
  busy?: boolean;
  pressed?: boolean;
}

/** A button that is a command. Where it cannot run now it says why. */
export function CommandButton({ command, variant, icon, label, busy, pressed }: CommandButtonProps) {
  const { enabled, run } = useCommand(command);
  const reason = enabled === true ? undefined : enabled;
  const Icon = icon ?? iconNamed(command.icon);
  if (!variant) {
    return (
      <IconButton
        icon={Icon}
        label={label ?? command.label}
        keys={command.keys}
        reason={reason}
        disabled={reason !== undefined}
        pressed={pressed}
        onClick={run}
      />
    );
  }
  return (
    <Tooltip text={reason ?? command.label} keys={reason ? undefined : command.keys?.[0]}>
      <Button
        variant={variant}
        icon={Icon}
        busy={busy}
        disabled={reason !== undefined}
        aria-keyshortcuts={ariaKeys(command.keys)}
        onClick={run}
      >
        {label ?? command.label}
      </Button>
    </Tooltip>
  );
}
