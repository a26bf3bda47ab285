/* The equation is put together from the row's columns, so that a list of variants cannot say
 * something else than what is computed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "nn/variant.h"

static void append(char text[VARIANT_EQUATION_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append(char text[VARIANT_EQUATION_SIZE], const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, VARIANT_EQUATION_SIZE - used, format, arguments);
    va_end(arguments);
}

/* "X W_QK": a projection carries the names of all roles that read it. */
static void append_role(const struct variant *variant, enum role role, char *text)
{
    if (variant->slot[role] == SLOT_NONE) {
        append(text, "%s", variant->query == QUERY_IDENTITY ? "X" : "(X + f(X))/2");
        return;
    }
    append(text, "X W_");
    for (int reader = 0; reader < ROLE_COUNT; reader++) {
        if (variant->slot[reader] == variant->slot[role]) {
            append(text, "%c", "QKV"[reader]);
        }
    }
}

static void append_product(const struct variant *variant, char *text)
{
    append(text, variant->qk_norm ? "norm(" : "");
    append_role(variant, ROLE_Q, text);
    append(text, variant->qk_norm ? ") norm(" : " (");
    append_role(variant, ROLE_K, text);
    append(text, ")^T / ");
    double scale = variant_score_scale(variant);
    if (scale == 1.0) {
        append(text, "sqrt(d_h)");
    } else {
        append(text, "(%g sqrt(d_h))", 1.0 / scale);
    }
}

void variant_equation(const struct variant *variant, char text[VARIANT_EQUATION_SIZE])
{
    const struct score_term_row *term = score_term_row(variant->score_term);
    text[0] = '\0';
    append(text, variant->causal ? "softmax_(j<=i)(" : "softmax(");
    append(text, "%s", term->shown_multiplier);
    append_product(variant, text);
    append(text, "%s) ", term->shown_matrix);
    append_role(variant, ROLE_V, text);
    if (variant->n_kv_head > 0) {
        append(text, ", %zu head%s of K and V", variant->n_kv_head, plural(variant->n_kv_head));
    }
}
