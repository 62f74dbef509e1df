"""Up to what is a learned representation determined?"""
