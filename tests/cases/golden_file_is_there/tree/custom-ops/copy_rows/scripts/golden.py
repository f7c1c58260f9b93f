def golden(pe, n_pes, inputs, attrs):
    return {}
