/** The certificates that results are signed with, and the rotation of the key. */
import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SigningKeysResponse } from '@vidgen/contract/content-credentials.ts';
import type { ReactNode } from 'react';
import { post } from '../api/client.ts';
import { invalidate, resource } from '../api/query-client.ts';
import { ConfirmButton } from '../components/confirm-dialog.tsx';
import { Loaded } from '../components/error-notice.tsx';
import { PlainTable } from '../components/plain-table.tsx';
import { SectionCard } from '../components/section-card.tsx';
import { Note } from '../components/texts.tsx';
import { Timestamp } from '../components/timestamp.tsx';

const path = '/admin/signing-keys';

export function SigningKeysCard(): ReactNode {
  const query = useQuery(resource<SigningKeysResponse>(path));
  const rotate = async () => {
    await post(`${path}/rotate`);
    await invalidate(path);
  };
  return (
    <SectionCard
      title="Content credentials"
      actions={
        query.data?.can_rotate ? (
          <ConfirmButton
            label="Rotate"
            title="Rotate the signing key"
            action="Rotate"
            nonDestructive
            run={rotate}
          >
            A new key signs the videos that begin from now on. Videos that were signed before stay
            valid.
          </ConfirmButton>
        ) : null
      }
    >
      <Note mb="xs">
        Videos are signed with these certificates: a machine-readable marking, one layer of two.
      </Note>
      <Loaded query={query} what="the certificates">
        {({ items }) => (
          <PlainTable
            label="Certificates"
            minWidth={480}
            columns={[{ title: 'Certificate' }, { title: 'State' }, { title: 'Ends' }]}
            rows={items.map(({ id, kind, subject, ends_at, signs }) => ({
              id,
              cells: [
                subject,
                <Badge key="state" variant="light" color={signs ? 'green' : 'gray'}>
                  {signs ? 'Signs' : kind === 'authority' ? 'Certifies' : 'Retired'}
                </Badge>,
                ends_at === null ? '–' : <Timestamp key="ends" at={ends_at} />,
              ],
            }))}
          />
        )}
      </Loaded>
    </SectionCard>
  );
}
