// The file of --contacts.
#pragma once
#include "runtime/record/record.h"

void nsm_contacts_header(nsm_csv *w);
void nsm_contacts_row(const nsm_sim *s, nsm_csv *w);       // the contacts of the last step, one in a line
