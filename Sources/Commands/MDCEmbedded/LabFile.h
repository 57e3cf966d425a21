// Initializer of one mdc_embedded_file: the file that LAB_FILE names. The second #embed is only measured.
{
    .path = &LAB_FILE[sizeof(LAB) - 1],
    .bytes = (const unsigned char[]) {
#embed LAB_FILE
    },
    .size = sizeof((const unsigned char[]) {
#embed LAB_FILE
    }),
},
#undef LAB_FILE
