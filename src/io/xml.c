/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Moreau authors */
/*
 * Builds a tree from the events of libxml2's SAX parser.  A document type declaration stops the
 * parser at once, so no entity is declared or loaded.
 *
 * Robot files often have a comment or an empty line before <?xml ...?>, or end it with > alone,
 * which the parsers of ROS accept.  The text before the root is therefore blanked, keeping its
 * lines, unless it names an encoding other than UTF-8.
 */
#include "io/xml.h"

#include <libxml/parser.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

typedef struct reading {
    xmlParserCtxtPtr parser;
    mo_pool *pool;
    const char *file;
    int *elements;
    int depth;
    mo_xml_node *root, *at;
    char *text; /* of the element that is open, so far */
    size_t text_room, text_length;
    mo_error error;
    mo_message *why;
} reading;

static int line_now(const reading *r)
{
    return r->parser && r->parser->input ? r->parser->input->line : 0;
}

static void stop(reading *r, mo_error error, const char *sentence)
{
    if (!r->error) {
        r->error = error == MO_ERR_MEMORY ? mo_fail_memory(r->why)
                                          : mo_fail(r->why, error, "%s%sline %d: %s", r->file,
                                                    r->file[0] ? ", " : "", line_now(r), sentence);
        xmlStopParser(r->parser);
    }
}

static const char *keep(reading *r, const xmlChar *text, size_t length)
{
    const char *copy = mo_pool_text(r->pool, (const char *)text, length);
    if (!copy) stop(r, MO_ERR_MEMORY, "");
    return copy;
}

/* "prefix:name", as in the file. */
static const char *keep_name(reading *r, const xmlChar *prefix, const xmlChar *name)
{
    if (!prefix) return keep(r, name, strlen((const char *)name));
    const size_t before = strlen((const char *)prefix), after = strlen((const char *)name);
    char *copy = mo_pool_take(r->pool, before + after + 2, 1);
    if (!copy) {
        stop(r, MO_ERR_MEMORY, "");
        return NULL;
    }
    memcpy(copy, prefix, before);
    copy[before] = ':';
    memcpy(copy + before + 1, name, after);
    return copy;
}

/* libxml2 passes five pointers an attribute: name, prefix, namespace, value, end of value. */
static void add_attributes(reading *r, mo_xml_node *node, int count, const xmlChar **five)
{
    mo_xml_attribute **end = &node->attributes;
    for (int k = 0; k < count && !r->error; ++k, five += 5) {
        mo_xml_attribute *attribute = mo_pool_take(r->pool, 1, sizeof *attribute);
        if (!attribute) {
            stop(r, MO_ERR_MEMORY, "");
            return;
        }
        attribute->name = keep_name(r, five[1], five[0]);
        attribute->value = keep(r, five[3], (size_t)(five[4] - five[3]));
        *end = attribute;
        end = &attribute->next;
    }
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespace_count, const xmlChar **namespaces, int attribute_count,
                     int default_count, const xmlChar **attributes)
{
    (void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
    reading *r = context;
    if (r->error) return;
    if (++r->depth > MO_XML_DEPTH) {
        stop(r, MO_ERR_UNSUPPORTED, "elements are nested more than 500 levels deep");
        return;
    }
    if (++*r->elements > MO_XML_ELEMENTS) {
        stop(r, MO_ERR_UNSUPPORTED, "the model has more than 100000 elements");
        return;
    }
    mo_xml_node *node = mo_pool_take(r->pool, 1, sizeof *node);
    if (!node) {
        stop(r, MO_ERR_MEMORY, "");
        return;
    }
    node->name = keep_name(r, prefix, name);
    node->file = r->file;
    node->line = line_now(r);
    add_attributes(r, node, attribute_count, attributes);
    if (r->at)
        mo_xml_append(r->at, node);
    else
        r->root = node;
    r->at = node;
    r->text_length = 0;
}

static void on_text(void *context, const xmlChar *text, int length)
{
    reading *r = context;
    if (r->error || !r->at || r->at->first || length <= 0) return;
    if (!MO_GROW(&r->pool->allocator, r->text, r->text_room, r->text_length + (size_t)length)) {
        stop(r, MO_ERR_MEMORY, "");
        return;
    }
    memcpy(r->text + r->text_length, text, (size_t)length);
    r->text_length += (size_t)length;
}

/* Without blanks around it; nothing if it is blank. */
static void keep_text(reading *r)
{
    static const char BLANK[4] = {' ', '\t', '\r', '\n'};
    size_t from = 0, end = r->text_length;
    while (from < end && memchr(BLANK, r->text[from], sizeof BLANK))
        ++from;
    while (end > from && memchr(BLANK, r->text[end - 1], sizeof BLANK))
        --end;
    if (end > from && !r->at->first)
        r->at->text = keep(r, (const xmlChar *)r->text + from, end - from);
    r->text_length = 0;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    reading *r = context;
    if (!r->error && r->at) {
        keep_text(r);
        r->at = r->at->parent;
        --r->depth;
    }
}

static void on_document_type(void *context, const xmlChar *name, const xmlChar *external,
                             const xmlChar *system)
{
    (void)name, (void)external, (void)system;
    stop(context, MO_ERR_UNSUPPORTED,
         "a document type declaration is not supported; remove <!DOCTYPE>");
}

/* The message of libxml2 about a malformed file, without its line end. */
static mo_error not_well_formed(const reading *r)
{
    const xmlError *last = xmlCtxtGetLastError(r->parser);
    char said[200] = "it is not XML";
    if (last && last->message) {
        size_t length = strcspn(last->message, "\r\n");
        length = length < sizeof said - 1 ? length : sizeof said - 1;
        memcpy(said, last->message, length);
        said[length] = 0;
    }
    return mo_fail(r->why, MO_ERR_FORMAT, "%s%sline %d: not well-formed XML: %s", r->file,
                   r->file[0] ? ", " : "", last ? last->line : 0, said);
}

static mo_error parse(reading *r, const char *bytes, size_t size)
{
    xmlSAXHandler events = {.initialized = XML_SAX2_MAGIC,
                            .internalSubset = on_document_type,
                            .startElementNs = on_start,
                            .characters = on_text,
                            .cdataBlock = on_text,
                            .endElementNs = on_end};
    r->parser = xmlCreatePushParserCtxt(&events, r, NULL, 0, NULL);
    MO_NEED_MEMORY(r->parser, r->why);
    /* Entities are replaced, so that &amp; is &; no other than XML's own can be declared. */
    /* HUGE: the limits of size and depth are ours. */
    xmlCtxtUseOptions(r->parser, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR |
                                     XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    int ok = xmlParseChunk(r->parser, bytes, (int)size, 1) == 0 && r->parser->wellFormed;
    if (!r->error && (!ok || !r->root)) r->error = not_well_formed(r);
    xmlFreeParserCtxt(r->parser);
    return r->error;
}

/* Does the declaration from `at` to `end` leave the text as UTF-8, or ASCII? */
static int is_plain_text(const char *at, const char *end)
{
    const char *encoding = strstr(at, "encoding");
    if (!encoding || encoding > end) return 1;
    encoding += strcspn(encoding, "\"'>");
    return *encoding && (strncasecmp(encoding + 1, "utf-8", 5) == 0 ||
                         strncasecmp(encoding + 1, "us-ascii", 8) == 0);
}

/* The text ends with a zero byte. */
static void blank_declaration(char *text)
{
    char *at = text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    for (;;) {
        at += strspn(at, " \t\r\n");
        const int is_comment = strncmp(at, "<!--", 4) == 0;
        const int is_declaration = strncmp(at, "<?xml", 5) == 0 && strchr(" \t\r\n", at[5]);
        char *end = is_comment ? strstr(at, "-->") : is_declaration ? strchr(at, '>') : NULL;
        if (!end) return;
        if (is_declaration && !is_plain_text(at, end)) return;
        for (; is_declaration && at <= end; ++at)
            *at = *at == '\n' ? '\n' : ' ';
        at = is_comment ? end + 3 : at;
    }
}

/* Comments are blanked, since many contain "--", which XML forbids and other readers allow.  The
 * text ends with a zero byte. */
static void blank_comments(char *text)
{
    for (char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        const int is_comment = strncmp(at, "<!--", 4) == 0;
        char *end = is_comment                         ? strstr(at + 4, "-->")
                    : strncmp(at, "<![CDATA[", 9) == 0 ? strstr(at, "]]>")
                                                       : at;
        if (!end) return;
        for (char *c = at + 4; is_comment && c < end; ++c)
            *c = *c == '\n' ? '\n' : ' ';
        at = end;
    }
}

mo_error mo_xml_read(const char *path, const char *file, mo_pool *pool, int *elements,
                     mo_xml_node **root, mo_message *why)
{
    char *bytes = NULL;
    size_t size = 0;
    mo_error error = mo_file_read(path, file, MO_XML_BYTES, &pool->allocator, &bytes, &size, why);
    reading r = {.pool = pool, .file = file, .elements = elements, .why = why};
    if (!error && size == 0)
        error = mo_fail(why, MO_ERR_FORMAT, "%s%sthe file is empty", file, file[0] ? ": " : "");
    if (!error) {
        blank_declaration(bytes);
        blank_comments(bytes);
        error = parse(&r, bytes, size);
    }
    MO_FREE(&pool->allocator, r.text, bytes);
    *root = error ? NULL : r.root;
    return error;
}
