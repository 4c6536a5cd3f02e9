/** Texts in the sizes and colors that pages share. */
import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = TextProps & {
  readonly id?: string;
  readonly role?: string;
  readonly children: ReactNode;
};

export const Label = (props: Props): ReactNode => <Text fz="sm" fw={500} {...props} />;
export const Note = (props: Props): ReactNode => <Text fz="sm" c="dimmed" {...props} />;
export const SmallNote = (props: Props): ReactNode => <Text fz="xs" c="dimmed" {...props} />;
